import { expect, it } from 'vitest';
import type { AuditEntry } from '../../audit/audit-entry.ts';
import { type Failure, failed, succeeded } from '../../core/errors.ts';
import { StoreError } from '../../store/metadata-store.ts';
import type { Call } from '../call.ts';
import { createAuditStreams } from './audit-stream.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);
const down = new StoreError('unavailable', 'disk full');

/** A stream of these chunks; an Error among them is thrown. `events` records what happened, in order. */
function stream(chunks: readonly (string | Error)[], options: { commit?: () => Promise<void> } = {}) {
  const events: string[] = [];
  const entries: AuditEntry[] = [];
  const broken: Failure[] = [];
  const ends: boolean[] = [];
  const leave = new AbortController();
  const call: Call = {
    requestId: 'r1',
    channel: 'export',
    credential: { kind: 'none' },
    address: '10.0.0.1',
    client: null,
    startedAt: 0,
    onEnd: () => undefined,
    signal: leave.signal,
  };
  async function* body() {
    try {
      for (const chunk of chunks) {
        if (chunk instanceof Error) throw chunk;
        yield bytes(chunk);
      }
    } finally {
      events.push('closed');
    }
  }
  const append = async (entry: AuditEntry) => {
    await options.commit?.();
    entries.push(entry);
    events.push(entry.outcome);
  };
  const streams = createAuditStreams({
    log: { append, flush: async () => undefined },
    now: () => 5,
    onBroken: (_id, failure) => broken.push(failure),
  });
  const open = async () => {
    const opened = await streams.auditStream(call, 'query.export', async (draft) => {
      draft.rows = 3;
      const onEnd = (anyRead: boolean) => void ends.push(anyRead);
      return succeeded({ head: 'head', body: body(), failureOf: (cause) => ({ kind: 'QueryFailed', cause }), onEnd });
    });
    if (!opened.ok) throw new Error(opened.failure.kind);
    return opened.value.body[Symbol.asyncIterator]();
  };
  const readAll = async () => {
    const iterator = await open();
    for (let step = await iterator.next(); !step.done; step = await iterator.next())
      events.push(Buffer.from(step.value).toString());
  };
  return { events, entries, broken, ends, leave, open, readAll, streams };
}

it('commits the entry before the last chunk, with every byte counted', async () => {
  const { readAll, events, entries, streams } = stream(['one', 'two', '', 'three', '']);
  await readAll();
  expect(events).toEqual(['one', 'two', 'closed', 'ok', 'three']);
  expect(entries).toMatchObject([{ action: 'query.export', outcome: 'ok', status: 200, rows: 3, bytes: 11, durationMs: 5 }]);
  await streams.whenSettled();
});

it('sends a body of one chunk only after its entry, and fails if the entry cannot be written', async () => {
  const { readAll, events } = stream(['one']);
  await readAll();
  expect(events).toEqual(['closed', 'ok', 'one']);
  await expect(stream(['one'], { commit: () => Promise.reject(down) }).open()).rejects.toThrow('StoreUnavailable');
});

it.each([[[new Error('x')]], [['one', new Error('x')]]])('fails like any call before the first byte: %j', async (chunks) => {
  const { open, entries, broken } = stream(chunks);
  await expect(open()).rejects.toThrow('QueryFailed');
  expect(entries).toMatchObject([{ outcome: 'failed', status: 500 }]);
  expect(broken).toEqual([]);
});

it('throws if the body fails later, after recording the failure', async () => {
  const { readAll, events, broken, entries } = stream(['one', 'two', new Error('a cast')]);
  await expect(readAll()).rejects.toThrow('QueryFailed');
  expect(events).toEqual(['one', 'closed', 'failed']);
  expect(broken).toMatchObject([{ kind: 'QueryFailed' }]);
  expect(entries).toMatchObject([{ bytes: 3 }]);
});

it('never sends the last chunk if the entry cannot be written', async () => {
  const { readAll, events, broken } = stream(['one', 'two', 'three'], { commit: () => Promise.reject(down) });
  await expect(readAll()).rejects.toThrow('StoreUnavailable');
  expect(events).toEqual(['one', 'two', 'closed']);
  expect(broken).toMatchObject([{ kind: 'StoreUnavailable' }]);
});

it('records a disconnect before reading, while reading and by the signal alone, each once', async () => {
  const unread = stream(['one', 'two', 'three']);
  await (await unread.open()).return?.();
  const reading = stream(['one', 'two', 'three']);
  const iterator = await reading.open();
  await iterator.next();
  await iterator.return?.();
  await iterator.return?.();
  const gone = stream(['one', 'two', 'three']);
  await gone.open();
  gone.leave.abort();
  await gone.streams.whenSettled();
  for (const { events, entries } of [unread, reading, gone]) {
    expect(entries).toMatchObject([{ outcome: 'cancelled' }]);
    expect([...events].sort()).toEqual(['cancelled', 'closed']);
  }
  expect((await iterator.next()).done).toBe(true);
});

it.each([
  ['a whole body', ['one', 'two'], [true]],
  ['a body of one chunk', ['one'], [true]],
  ['an empty body', [], [false]],
  ['a body that fails before it is sent', ['one', new Error('x')], [false]],
  ['a body that fails later', ['one', 'two', new Error('x')], [true]],
])('calls back once at the end of %s', async (_, chunks, expected) => {
  const { readAll, ends, streams } = stream(chunks);
  await readAll().catch(() => undefined);
  await streams.whenSettled();
  expect(ends).toEqual(expected);
});

it('throws to a reader whose stream was stopped', async () => {
  const { open, leave, entries } = stream(['one', 'two', 'three', 'four']);
  const iterator = await open();
  await iterator.next();
  leave.abort();
  await expect(iterator.next()).rejects.toThrow('QueryCancelled');
  expect(entries).toMatchObject([{ outcome: 'cancelled' }]);
});

it('records failures unchanged', async () => {
  const { streams, entries } = stream([]);
  const call: Call = { ...someCall(), signal: new AbortController().signal };
  const refused = await streams.auditStream(call, 'query.export', async () => failed({ kind: 'QueryNotAccessible' }));
  expect(refused).toEqual(failed({ kind: 'QueryNotAccessible' }));
  expect(entries).toMatchObject([{ outcome: 'refused', status: 403 }]);
});

const someCall = (): Omit<Call, 'signal'> => ({
  requestId: 'r2',
  channel: 'export',
  credential: { kind: 'none' },
  address: '',
  client: null,
  startedAt: 0,
  onEnd: () => undefined,
});
