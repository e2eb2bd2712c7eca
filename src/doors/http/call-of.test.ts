import { once } from 'node:events';
import { expect, it } from 'vitest';
import { sendAndLeave, serverWith } from '../../../test/support/http/request-of.ts';
import type { Call } from '../../pipeline/call.ts';
import { callOf } from './call-of.ts';

async function called(headers: Record<string, string>, trustProxy?: string[]): Promise<Call> {
  const calls: Call[] = [];
  const app = await serverWith(
    (request, reply) => void calls.push(callOf(request, reply, 'rest', { cookie: true })),
    trustProxy === undefined ? {} : { trustProxy },
  );
  await app.inject({ method: 'POST', url: '/', headers });
  await app.close();
  const [call] = calls;
  if (call === undefined) throw new Error('no call');
  return call;
}

it('accepts a forwarded address from a trusted proxy only', async () => {
  const headers = { 'x-forwarded-for': '203.0.113.9, 10.1.2.3' };
  expect((await called(headers)).address).toBe('127.0.0.1');
  expect((await called(headers, ['10.0.0.0/8'])).address).toBe('127.0.0.1');
  expect((await called(headers, ['127.0.0.1'])).address).toBe('10.1.2.3');
  expect((await called(headers, ['127.0.0.1', '10.0.0.0/8'])).address).toBe('203.0.113.9');
});

it('takes the client from User-Agent, truncated, or null', async () => {
  expect((await called({ 'user-agent': 'x'.repeat(1000) })).client).toHaveLength(300);
  expect((await called({ 'user-agent': '' })).client ?? '').toBe('');
});

it('uses the channel of the UI for calls with the cookie', async () => {
  expect((await called({ cookie: 'sluice_session=abc' })).channel).toBe('ui');
  expect((await called({ 'x-api-key': 'abc', cookie: 'sluice_session=abc' })).channel).toBe('rest');
});

it('aborts when the caller disconnects before the response, not after it', async () => {
  const signals: AbortSignal[] = [];
  const gate = Promise.withResolvers<void>();
  const app = await serverWith(async (request, reply) => {
    signals.push(callOf(request, reply, 'rest', { cookie: false }).signal);
    if (request.url === '/slow') await gate.promise;
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  await (await fetch(`${url}/fast`, { headers: { connection: 'close' } })).text();
  await sendAndLeave(url, 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
  await expect.poll(() => signals.map((signal) => signal.aborted)).toEqual([false, true]);
  gate.resolve();
  await app.close();
});

it('is aborted initially, with an address, if the caller has already disconnected', async () => {
  const calls: Call[] = [];
  const app = await serverWith(async (request, reply) => {
    if (!request.socket.destroyed) await once(request.socket, 'close');
    calls.push(callOf(request, reply, 'rest', { cookie: false }));
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  await sendAndLeave(url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await expect.poll(() => calls.length).toBe(1);
  expect(calls[0]?.signal.aborted).toBe(true);
  expect(typeof calls[0]?.address).toBe('string');
  await app.close();
});
