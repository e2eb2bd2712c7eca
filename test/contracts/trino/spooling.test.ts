import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Connector } from '../../../src/connectors/connector.ts';
import { trino } from '../../../src/connectors/trino/index.ts';
import type { RetrievalMode, SegmentParts, Spooling } from '../../doubles/trino-spool.ts';
import { startTrinoDouble, type TrinoDouble } from '../../doubles/trino.ts';
import { endsAs, never, rejection } from '../connector-steps.ts';
import { trinoRequest } from './fixture.ts';
import { trinoResponses } from './responses.ts';
import { trinoSql } from './sql.ts';

let double: TrinoDouble;
let connector: Connector;
const open = (settings: Record<string, unknown> = {}) =>
  trino.open(
    trinoRequest({
      connection: { host: '127.0.0.1', port: double.port, user: 'reader', database: 'memory' },
      settings: { schema: 'shop', ...settings },
    }),
  );

beforeAll(async () => {
  double = await startTrinoDouble(trinoResponses);
});
beforeEach(async () => {
  connector = await open();
  double.requests.length = 0;
  double.spool.requests.length = 0;
  double.spool.stored.clear();
});
afterEach(() => connector.close());
afterAll(() => double.close());

async function read(sql: string, signal = never(), from = connector): Promise<number> {
  let next = 1;
  const rows = await from.run({ sql, parameters: [] }, { timeoutMs: 60_000 }, signal);
  for await (const batch of rows.batches()) {
    for (let row = 0; row < batch.length; row++)
      if (batch.value(row, 0) !== next++) throw new Error(`Row ${next} is out of order.`);
  }
  return next - 1;
}

const spools = (how: Spooling): void => {
  double.spool.spooling = how;
};
const encodingsSent = () =>
  double.requests.filter(({ method }) => method === 'POST').map(({ headers }) => headers['x-trino-query-data-encoding']);

describe('spooled results', () => {
  test.each(['storage', 'coordinator', 'redirect'] satisfies RetrievalMode[])(
    'are read from the %s and acknowledged',
    async (mode) => {
      spools({ mode });
      expect(await read(trinoSql.series(200_000))).toBe(200_000);
      expect(encodingsSent()).toEqual([undefined, 'json+zstd,json']); // describing is not spooled
      await expect.poll(() => double.spool.stored.size).toBe(0);
      expect(double.spool.requests).toHaveLength(mode === 'coordinator' ? 0 : 19);
      for (const { headers } of double.spool.requests) {
        expect(Object.keys(headers).filter((name) => name === 'authorization' || name.startsWith('x-trino-'))).toEqual([]);
        expect(headers['accept-encoding']).toBe('identity');
      }
      if (mode === 'storage') expect([2, 3, 4]).toContain(double.spool.mostLoading()); // on a busy machine some end before others begin
    },
  );

  test('are not requested where they are switched off', async () => {
    spools({ mode: 'storage' });
    const direct = await open({ spooling: false });
    expect(await read(trinoSql.series(30_000), never(), direct)).toBe(30_000);
    await direct.close();
    expect(encodingsSent()).toEqual([undefined, undefined]);
  });

  test('a segment that fails to arrive is loaded again', async () => {
    spools({
      mode: 'storage',
      respond(response, index, attempt) {
        if (attempt > 1 || index === 4) return false;
        if (index % 2 === 0) response.writeHead(503, { 'retry-after': '0' }).end('<Error><Code>SlowDown</Code></Error>');
        else response.writeHead(200, { 'content-length': '100000' }).write('[[1', () => response.destroy());
        return true;
      },
    });
    expect(await read(trinoSql.series(100_000))).toBe(100_000);
  });

  test('are loaded only a little ahead of the reader', async () => {
    spools({ mode: 'storage' });
    const rows = await connector.run({ sql: trinoSql.endless, parameters: [] }, { timeoutMs: 60_000 }, never());
    for await (const batch of rows.batches()) {
      expect(batch.length).toBeGreaterThan(0);
      await expect.poll(() => double.spool.requests.length).toBeGreaterThanOrEqual(15);
      await sleep(200);
      expect(double.spool.requests.length).toBeLessThanOrEqual(20);
      break;
    }
    expect(double.running()).toBe(0);
  });

  test('cancelling closes the connections to the storage and ends the query', async () => {
    let closed = 0;
    spools({
      mode: 'storage',
      respond(response) {
        response.on('close', () => closed++);
        return true; // never responds
      },
    });
    const before = double.cancelled.length;
    await endsAs('cancelled', (signal) => read(trinoSql.series(200_000), signal), 300);
    expect(double.cancelled).toHaveLength(before + 1);
    await expect.poll(() => closed).toBe(4);
  });
});

describe('a server that does not keep its word', () => {
  const third = (change: (segment: SegmentParts) => void) => (segment: SegmentParts, index: number) => {
    if (index === 2) change(segment);
  };
  test.each<[string, RegExp, (segment: SegmentParts) => void]>([
    ['a segment with fewer bytes', /bytes instead of/, (segment) => (segment.bytes = segment.bytes.subarray(9))],
    [
      'a segment with more bytes',
      /No response|ended early|too large|bytes instead of/,
      (segment) => (segment.bytes = Buffer.concat([segment.bytes, Buffer.alloc(200_000)])),
    ],
    ['bytes that cannot be decompressed', /decompressed/, (segment) => (segment.bytes = Buffer.alloc(segment.bytes.length, 7))],
    ['a larger content than announced', /decompressed/, ({ metadata }) => (metadata.uncompressedSize = 1000)],
    ['a smaller content than announced', /decompressed/, ({ metadata }) => (metadata.uncompressedSize = 10_000_000)],
    ['fewer rows than announced', /rows less/, ({ metadata }) => (metadata.rowsCount = 10_001)],
    ['more rows than announced', /more rows/, ({ metadata }) => (metadata.rowsCount = 9999)],
    ['rows left out', /begins at row/, ({ metadata }) => (metadata.rowOffset = 20_001)],
    [
      'something else than rows',
      /else than rows/,
      (segment) => {
        segment.bytes = Buffer.from('{"secret":"of another service"}');
        segment.metadata = { rowOffset: 20_000, rowsCount: 1, segmentSize: segment.bytes.length };
      },
    ],
    ['no address', /address that is none/, (segment) => (segment.uri = 'nowhere')],
  ])('%s fails the query', async (_, message, change) => {
    spools({ mode: 'storage', change: third(change) });
    const error = await rejection(read(trinoSql.series(100_000)));
    expect(error.kind).toBe('failed');
    expect(error.message).toMatch(message);
    expect(error.message).not.toMatch(/secret|Signature/);
  });

  test.each([404, 410])('a segment that is gone (%d) fails the query and says so', async (status) => {
    for (const inlines of [true, false]) {
      spools({
        mode: 'storage',
        inlines,
        respond(response, index) {
          if (index === 1) response.writeHead(status).end();
          return index === 1;
        },
      });
      const error = await rejection(read(trinoSql.series(100_000)));
      expect(error).toMatchObject({ kind: 'failed', message: expect.stringContaining('expired or was deleted') });
    }
  });

  test('a failure of the query after segments were announced is reported', async () => {
    spools({ mode: 'storage' });
    const error = await rejection(read(trinoSql.failingAt(150_000)));
    expect(error).toMatchObject({ kind: 'failed', message: expect.stringContaining('Cannot cast') });
  });
});

describe('a storage that cannot be reached', () => {
  const elsewhere = (uri: string): Spooling => ({ mode: 'storage', inlines: false, change: (segment) => (segment.uri = uri) });
  const forbids: Spooling = {
    mode: 'storage',
    inlines: false,
    respond(response) {
      response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
      return true;
    },
  };
  test.each<[string, Spooling, Record<string, unknown>]>([
    ['refuses connections', elsewhere('http://127.0.0.1:1/x'), {}],
    ['denies access', forbids, {}],
    ['has no address', elsewhere('http://nowhere.invalid/x'), {}],
    ['is the metadata service of a cloud', elsewhere('http://169.254.169.254/latest/meta-data'), {}],
    ['has a scheme of its own', elsewhere('file:///etc/passwd'), {}],
    ['is not listed', { mode: 'storage', inlines: false }, { segmentHosts: ['spool.example:9000', '127.0.0.1:1'] }],
    ['is not listed, after a redirect', { mode: 'redirect', inlines: false }, { segmentHosts: [] }],
  ])('and %s: the result is read from the coordinator, also the next one', async (_, how, settings) => {
    spools(how);
    const other = await open(settings);
    expect(await read(trinoSql.series(100_000), never(), other)).toBe(100_000);
    expect(await read(trinoSql.series(100_000), never(), other)).toBe(100_000);
    expect(encodingsSent()).toEqual([undefined, 'json+zstd,json', undefined, undefined]);
    expect(double.running()).toBe(0);
    expect(await other.ping(never())).toEqual([expect.stringMatching(/^Long results are read from the coordinator/)]);
    await other.close();
  });

  test('fails a query whose first rows were read, but not the next one', async () => {
    spools({ ...forbids, inlines: true });
    const error = await rejection(read(trinoSql.series(30_000)));
    expect(error).toMatchObject({ kind: 'failed', message: expect.stringContaining('responded with 403') });
    expect(await read(trinoSql.series(30_000))).toBe(30_000);
  });

  test('is used when its host is listed', async () => {
    spools({ mode: 'storage', change: (segment) => (segment.uri = segment.uri.replace('127.0.0.1', 'localhost')) });
    const listed = await open({ segmentHosts: ['LOCALHOST'] });
    expect(await read(trinoSql.series(30_000), never(), listed)).toBe(30_000);
    await listed.close();
    expect(double.spool.requests).toHaveLength(2);
  });

  test.each([[['http://host']], [['a/b']], ['host']])('the setting segmentHosts %j is refused', (segmentHosts) => {
    const connection = { host: '127.0.0.1', user: 'reader', database: 'memory' };
    const [problem] = trino.check(trinoRequest({ connection, settings: { segmentHosts } }));
    expect(problem?.field).toMatch(/^settings\.segmentHosts/);
  });
});
