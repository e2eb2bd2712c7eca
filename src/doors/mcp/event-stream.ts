import { PassThrough } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isObject } from '../input/fields.ts';
import type { Message } from './json-rpc.ts';

export type ProgressToken = string | number;

/** The token of a tools/call whose client reads event streams and requests progress; otherwise undefined. */
export function progressTokenOf({ headers }: FastifyRequest, message: Message): ProgressToken | undefined {
  if (message.kind !== 'request' || message.method !== 'tools/call') return undefined;
  const meta = message.params._meta;
  const token = isObject(meta) ? meta.progressToken : undefined;
  if (typeof token !== 'string' && typeof token !== 'number') return undefined;
  return /text\/event-stream/i.test(headers.accept ?? '') ? token : undefined;
}

const REPORT_MS = 500;
const QUIET_MS = 15_000; // proxies close connections that are idle for longer

/** Responds with an event stream: progress notifications while `work` reports rows, then the response that it returns. */
export function sendEvents(
  reply: FastifyReply,
  token: ProgressToken,
  work: (onRows: (rows: number) => void) => Promise<string | Buffer>,
): FastifyReply {
  const events = new PassThrough();
  let rows = 0;
  let reported = 0;
  let writtenAt = Date.now();
  const write = (text: string): void => {
    writtenAt = Date.now();
    if (!events.destroyed) events.write(text);
  };
  const timer = setInterval(() => {
    if (rows > reported) {
      reported = rows;
      const params = { progressToken: token, progress: rows, message: `${rows} rows read` };
      write(eventOf(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })));
    } else if (Date.now() - writtenAt > QUIET_MS) write(COMMENT);
  }, REPORT_MS);
  events.once('close', () => clearInterval(timer));
  write(COMMENT); // sends the headers
  void work((read) => {
    rows = read;
  }).then((response) => {
    clearInterval(timer);
    if (!events.destroyed) events.end(eventOf(response.toString()));
  });
  return reply
    .header('Content-Type', 'text/event-stream')
    .header('Cache-Control', 'no-store')
    .header('X-Accel-Buffering', 'no') // proxies must not hold events back
    .send(events);
}

const COMMENT = ':\n\n';

/** Line breaks between the values of a JSON text are line breaks of the event, too. */
const eventOf = (json: string): string => `event: message\ndata: ${json.replaceAll(/\r\n|\r|\n/g, '\ndata: ')}\n\n`;
