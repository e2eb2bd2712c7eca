import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openExpressLane } from './express-lane.ts';

const KEEP_ALIVE_MS = 5000;
const BODY = '{"a":true}';
const HEAD = `POST /run HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`;

let app: FastifyInstance;
let time: number;
let sweep: () => void;
let client: Socket;
let accepted: Socket; // the server's end of it
let received: string;

/** Both the lane and the framework have the route; the body of a response says which of them answered. */
beforeEach(async () => {
  app = Fastify({ keepAliveTimeout: KEEP_ALIVE_MS });
  app.post('/run', async () => 'by the framework');
  time = 0;
  openExpressLane(app, {
    routes: [{ path: '/run', handle: async (_, reply) => reply.send('by the lane'), refuse: () => undefined }],
    bodyLimit: 1000,
    isClosing: () => false,
    observe: () => undefined,
    clock: {
      now: () => time,
      every: (_, work) => {
        sweep = work;
        return () => undefined;
      },
    },
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const connection = once(app.server, 'connection');
  client = connect((app.server.address() as AddressInfo).port, '127.0.0.1').setNoDelay(true);
  received = '';
  client.on('data', (chunk: Buffer) => {
    received += chunk.toString();
  });
  [accepted] = await connection;
});
afterEach(async () => {
  client.destroy();
  await app.close();
});

/** Sweeps when so much more time has passed. */
const sweepAfter = (milliseconds: number): void => {
  time += milliseconds;
  sweep();
};

/** Resolves when the lane has read it. */
async function sendPart(bytes: string): Promise<void> {
  const read = once(accepted, 'data');
  client.write(bytes);
  await read;
}

it.each([
  ['nothing', '', HEAD + BODY],
  ['a head only', HEAD, BODY],
  ['half a body', HEAD + BODY.slice(0, 5), BODY.slice(5)],
])('hands a connection that sent %s over to the framework after a second', async (_what, before, after) => {
  if (before !== '') await sendPart(before);
  sweepAfter(1001);
  client.write(after);
  await expect.poll(() => received).toContain('by the framework');
});

it.each([
  ['nothing', '', HEAD + BODY],
  ['a head only', HEAD, BODY],
])('answers the rest itself on a connection that sent %s for a second', async (_what, before, after) => {
  if (before !== '') await sendPart(before);
  sweepAfter(1000);
  client.write(after);
  await expect.poll(() => received).toContain('by the lane');
});

it('closes a connection that was idle for longer than the keep-alive time and a second', async () => {
  client.write(HEAD + BODY);
  await expect.poll(() => received).toContain('by the lane');
  sweepAfter(KEEP_ALIVE_MS + 1000);
  received = '';
  client.write(HEAD + BODY);
  await expect.poll(() => received).toContain('by the lane');
  sweepAfter(KEEP_ALIVE_MS + 1001);
  await once(client, 'close');
});
