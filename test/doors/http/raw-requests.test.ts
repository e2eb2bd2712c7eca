import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createKey } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { type List, type TestService, admin, startTestService } from '../../support/services/service.ts';
import { waitUntil } from '../../support/wait-until.ts';

const BOUND_MS = 40_000;
const JSON_PATH = '/api/v1/JsonBuilder/ExecuteQuery';
const SLOW_SQL = `with recursive step(n) as (select 0 union all select n + 1 from step where n < @Steps)
select max(n) as n from step`;
const ENDLESS = 1_000_000_000;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture({ SLUICE_BODY_LIMIT: '50000' });
});
afterAll(() => fixture.service.close());

const opened: Socket[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
});

interface Fixture {
  readonly service: TestService;
  /** The bytes of a call, with optional changes of request line, headers, body and length. */
  call(queryName: keyof typeof QUERIES, more?: { first?: string; lines?: string; length?: number; body?: string }): string;
  slow(steps: number): string;
  echo(words: string): string;
  running(): Promise<number>;
}

const QUERIES = {
  One: { sql: 'select 1 as n' },
  Two: { sql: 'select 2 as n' },
  Accents: { sql: "select 'Zürich, 東京, 😀' as place" },
  Long: { sql: "select n, repeat('é', 300) as words from range(500) as r(n)" },
  Huge: { sql: "select n, repeat('x', 20000) as words from range(1000) as r(n)" },
  Echo: { sql: 'select @Words as words', parameters: [{ name: '@Words', dataType: 'varchar', required: true }] },
  Slow: { sql: SLOW_SQL, parameters: [{ name: '@Steps', dataType: 'bigint', required: true }] },
};

async function createFixture(settings: Record<string, string>): Promise<Fixture> {
  const service = await startTestService(settings);
  const author = service.as(admin);
  const { key } = await createKey(author, { name: 'raw' });
  const names = new Map<string, string>();
  for (const [name, query] of Object.entries(QUERIES)) names.set(name, (await publish(author, { name, ...query })).queryName);
  const bodyOf = (name: string, ...sent: readonly unknown[]) => JSON.stringify({ QueryName: names.get(name), Parameters: sent });
  const call: Fixture['call'] = (
    name,
    { first = `POST ${JSON_PATH} HTTP/1.1`, lines = '', body = bodyOf(name), length } = {},
  ) => {
    const own = `Host: ${new URL(service.url).host}\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n`;
    return `${first}\r\n${own}${lines}Content-Length: ${length ?? Buffer.byteLength(body)}\r\n\r\n${body}`;
  };
  const parameter = (ParameterName: string, Value: string, DataType: string) => ({ ParameterName, Value, DataType });
  return {
    service,
    call,
    slow: (steps) => call('Slow', { body: bodyOf('Slow', parameter('@Steps', String(steps), 'bigint')) }),
    echo: (words) => call('Echo', { body: bodyOf('Echo', parameter('@Words', words, 'varchar')) }),
    running: async () => (await author.call<List<unknown>>('GET', '/api/v1/executions')).json.items.length,
  };
}

interface Received {
  readonly status: string;
  readonly headers: readonly string[];
  readonly body: string;
}

interface Wire {
  readonly socket: Socket;
  send(bytes: string): void;
  /** The next response; null when the connection ends without one. */
  response(): Promise<Received | null>;
}

function wireTo(fixture: Fixture, options: { allowHalfOpen?: boolean } = {}): Wire {
  const { hostname: host, port } = new URL(fixture.service.url);
  const to = { host, port: Number(port), allowHalfOpen: false, ...options };
  const socket = connect(to);
  opened.push(socket);
  socket.setNoDelay(true); // each write is a separate packet
  let pieces: Buffer[] = [];
  let wanted: number | null = null; // length of the next response, once its head is complete
  let over = false;
  let news = (): void => undefined;
  const end = (): void => {
    over = true;
    news();
  };
  socket.on('end', end).on('close', end).on('error', end);
  socket.on('data', (chunk: Buffer) => {
    pieces.push(chunk);
    wanted ??= lengthOfAnswer(Buffer.concat(pieces));
    news();
  });
  return {
    socket,
    send: (text) => void socket.write(text),
    async response() {
      const signal = AbortSignal.timeout(BOUND_MS);
      for (;;) {
        if (wanted !== null && wanted <= pieces.reduce((sum, piece) => sum + piece.length, 0)) {
          const all = Buffer.concat(pieces);
          const [received, rest] = [receivedIn(all.toString('utf8', 0, wanted)), all.subarray(wanted)];
          [pieces, wanted] = [[rest], lengthOfAnswer(rest)];
          return received;
        }
        if (over) return null;
        await new Promise<void>((resolve, reject) => {
          news = resolve;
          signal.onabort = () =>
            reject(new Error(`no response in time, only: ${Buffer.concat(pieces).toString('utf8', 0, 300)}`));
        });
      }
    },
  };
}

function lengthOfAnswer(bytes: Buffer): number | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  return end + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(bytes.toString('latin1', 0, end))?.[1] ?? 0);
}

function receivedIn(text: string): Received {
  const [head = '', ...body] = text.split('\r\n\r\n');
  const [status = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => line.replace(/^[^:]*/, (name) => name.toLowerCase()));
  return {
    status,
    headers,
    body: body.join('\r\n\r\n'),
  };
}

type Exchange = (wire: Wire, fixture: Fixture) => Promise<readonly (Received | null)[]>;

const LIVEZ = 'GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';

/** Sends these one by one, each after the response to the previous one. */
const oneByOne =
  (...all: readonly ((fixture: Fixture) => string)[]): Exchange =>
  async (wire, fixture) => {
    const received = [];
    for (const bytes of all) {
      wire.send(bytes(fixture));
      received.push(await wire.response());
    }
    return received;
  };

/** Sends all in one write, then reads as many responses. */
const atOnce =
  (count: number, bytes: (fixture: Fixture) => string): Exchange =>
  async (wire, fixture) => {
    wire.send(bytes(fixture));
    return responses(wire, count);
  };

async function responses(wire: Wire, count: number): Promise<readonly (Received | null)[]> {
  const received = [];
  for (let times = 0; times < count; times++) received.push(await wire.response());
  return received;
}

/** Sends these pieces as separate packets, then reads one response. */
const inPieces =
  (cut: (bytes: string) => readonly string[]): Exchange =>
  async (wire, fixture) => {
    for (const piece of cut(fixture.call('One'))) {
      wire.send(piece);
      await sleep(5);
    }
    return responses(wire, 1);
  };

/** Closes the writing side and reads what is left. */
const untilTheEnd =
  (last: (fixture: Fixture) => string, ...before: readonly ((fixture: Fixture) => string)[]): Exchange =>
  async (wire, fixture) => {
    const received = await oneByOne(...before)(wire, fixture);
    wire.send(last(fixture));
    await sleep(100);
    wire.socket.end();
    return [...received, ...(await responses(wire, 2 - received.length))];
  };

const one = (fixture: Fixture): string => fixture.call('One');
const two = (fixture: Fixture): string => fixture.call('Two');
const livez = (): string => LIVEZ;
const firstLine = (first: string) => (fixture: Fixture) => fixture.call('One', { first });
const withLines = (lines: string) => (fixture: Fixture) => fixture.call('One', { lines });
const ofSize = (bytes: number) => (fixture: Fixture) =>
  fixture.call('One', { body: JSON.stringify({ QueryName: 'x'.repeat(bytes) }) });

/** The status of each response, or null without one. */
test.each<[string, string, Exchange]>([
  ['a plain call', '200', oneByOne(one)],
  ['one after the other', '200, 200, 200', oneByOne(one, two, one)],
  ['two at once', '200, 200', atOnce(2, (fixture) => one(fixture) + two(fixture))],
  [
    'three, of which two arrive while the first runs',
    '200, 200, 200',
    async (wire, fixture) => {
      wire.send(fixture.slow(10_000));
      expect(await waitUntil(fixture.running, (count) => count === 1)).toBe(1);
      wire.send(one(fixture) + two(fixture));
      return responses(wire, 3);
    },
  ],
  [
    'forty that arrive while the first runs',
    ['200', ...Array(40).fill('200')].join(', '),
    async (wire, fixture) => {
      wire.send(fixture.slow(10_000));
      expect(await waitUntil(fixture.running, (count) => count === 1)).toBe(1);
      wire.send(withLines(`X-Long: ${'x'.repeat(2000)}\r\n`)(fixture).repeat(40));
      return responses(wire, 41);
    },
  ],
  ['head and body apart', '200', inPieces((bytes) => bytes.split(/(?<=\r\n\r\n)/))],
  ['a head in two pieces', '200', inPieces((bytes) => [bytes.slice(0, 40), bytes.slice(40)])],
  ['a line ending in two pieces', '200', inPieces((bytes) => bytes.split(/(?<=\r)(?=\n)/))],
  ['a body byte by byte', '200', inPieces((bytes) => [bytes.slice(0, bytes.indexOf('{')), ...bytes.slice(bytes.indexOf('{'))])],
  ['another route in between', '200, 200, 200', oneByOne(one, livez, two)],
  [
    'garbage after a response',
    '200, 400, none',
    oneByOne(
      one,
      () => 'garbage\r\n\r\n',
      () => '',
    ),
  ],
  ['garbage after a call', '400, none', atOnce(2, (fixture) => `${one(fixture)}garbage\r\n\r\n`)],
  ['a body longer than it says', '400, none', atOnce(2, (fixture) => fixture.call('One', { length: 5 }))],
  ['a body shorter than it says, and the end', '400, none', untilTheEnd((fixture) => fixture.call('One', { length: 500 }))],
  ['half a head, and the end', '400, none', untilTheEnd((fixture) => one(fixture).slice(0, 60))],
  ['a response, half a call, and the end', '200, 400', untilTheEnd((fixture) => fixture.call('One', { length: 500 }), one)],
  ['a call that still runs, and the end', 'none, none', untilTheEnd((fixture) => fixture.slow(ENDLESS))],
  ['nothing, and the end', 'none, none', untilTheEnd(() => '')],
  ['two kinds of length', '400, none', atOnce(2, withLines('Transfer-Encoding: chunked\r\n'))],
  ['two lengths', '400, none', atOnce(2, withLines('Content-Length: 1\r\n'))],
  ['a method in lower case', '400, none', atOnce(2, firstLine(`post ${JSON_PATH} HTTP/1.1`))],
  ['HTTP/1.0', '200, none', atOnce(2, firstLine(`POST ${JSON_PATH} HTTP/1.0`))],
  ['Connection: close', '200, none', atOnce(2, withLines('Connection: close\r\n'))],
  ['Proxy-Connection: close', '200, none', atOnce(2, withLines('Proxy-Connection: close\r\n'))],
  ['20 KB of headers', '413, none', atOnce(2, withLines(`X-Long: ${'x'.repeat(20_000)}\r\n`))],
  ['10 KB of headers', '200', atOnce(1, withLines(`X-Long: ${'x'.repeat(10_000)}\r\n`))],
  ['a body of 40 KB', '400, 200', oneByOne(ofSize(40_000), one)],
  ['a body over the limit', '413', atOnce(1, ofSize(60_000))],
  ['another expectation', '200', atOnce(1, withLines('Expect: the-unexpected\r\n'))],
  ['Expect: 100-continue', '100, 200', atOnce(2, withLines('Expect: 100-continue\r\n'))],
  ['text beyond ASCII in the body', '200', oneByOne((fixture) => fixture.echo('Ærø, 東京, 😀'))],
  ['text beyond ASCII in the rows', '200, 200', oneByOne((fixture) => fixture.call('Accents'), one)],
  ['a page of 300 KB', '200, 200', oneByOne((fixture) => fixture.call('Long'), one)],
  ['a refusal', '400, 200', oneByOne((fixture) => fixture.call('One', { body: '{"QueryName":' }), one)],
])('%s', async (_what, expected, exchange) => {
  const received = await exchange(wireTo(fixture), fixture);
  expect(received.map((each) => each?.status.split(' ')[1] ?? 'none').join(', ')).toBe(expected);
});

test('a response to a request without Host is a problem with a request id', async () => {
  const [received] = await oneByOne(() => 'GET /livez HTTP/1.1\r\n\r\n')(wireTo(fixture), fixture);
  expect(received).toMatchObject({
    status: 'HTTP/1.1 400 Bad Request',
    body: expect.stringContaining('The field Host is required.'),
  });
  expect(received?.headers).toContainEqual(expect.stringMatching(/^x-request-id: [0-9a-f-]{36}$/));
});

test('a disconnect during a query cancels it', async () => {
  const left = wireTo(fixture);
  left.send(fixture.slow(ENDLESS));
  const ended = wireTo(fixture, { allowHalfOpen: true });
  ended.send(fixture.slow(ENDLESS));
  expect(await waitUntil(fixture.running, (count) => count === 2)).toBe(2);
  left.socket.resetAndDestroy();
  ended.socket.end();
  expect(await waitUntil(fixture.running, (count) => count === 0)).toBe(0);
  expect(await oneByOne(one)(wireTo(fixture), fixture)).toMatchObject([{ status: 'HTTP/1.1 200 OK' }]);
});

test('idle connections and incomplete requests do not delay other callers', async () => {
  const [silent, headOnly, half] = [wireTo(fixture), wireTo(fixture), wireTo(fixture)];
  const [head = '', body = ''] = one(fixture).split(/(?<=\r\n\r\n)/);
  headOnly.send(head);
  half.send(head + body.slice(0, 5));
  const meanwhile = await oneByOne(one)(wireTo(fixture), fixture);
  expect(meanwhile).toMatchObject([{ status: 'HTTP/1.1 200 OK' }]);
  silent.send(one(fixture));
  headOnly.send(body);
  half.send(body.slice(5));
  const received = await Promise.all([silent, headOnly, half].map((wire) => wire.response()));
  expect(received).toMatchObject(Array(3).fill({ status: 'HTTP/1.1 200 OK' }));
});

test('a stop closes idle connections immediately and others after their last response', { timeout: 120_000 }, async () => {
  const fixture = await createFixture({ SLUICE_DRAIN_SECONDS: '60' });
  const idle = wireTo(fixture);
  await oneByOne(one)(idle, fixture);
  const slowReader = wireTo(fixture);
  slowReader.socket.pause();
  slowReader.send(fixture.call('Huge'));
  await sleep(300);
  expect(await waitUntil(fixture.running, (count) => count === 0)).toBe(0);
  const running = wireTo(fixture, { allowHalfOpen: true }); // stays open after our end
  running.send(fixture.slow(40_000));
  expect(await waitUntil(fixture.running, (count) => count === 1)).toBe(1);
  running.send(two(fixture)); // gets no response any more
  const silent = wireTo(fixture);
  await once(silent.socket, 'connect');
  const closed = fixture.service.close().then(() => 'closed');
  expect(await idle.response()).toBeNull();
  expect(await silent.response()).toBeNull();
  slowReader.socket.resume();
  expect(await slowReader.response()).toMatchObject({ status: 'HTTP/1.1 200 OK' });
  const last = await running.response();
  expect(last).toMatchObject({ status: 'HTTP/1.1 200 OK', body: expect.stringContaining('"n":40000') });
  expect(last?.headers).toContain('connection: close');
  expect(await running.response()).toBeNull();
  expect(await Promise.race([closed, sleep(BOUND_MS, 'still open')])).toBe('closed');
});
