import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { ObjectStoreError } from '../results/storage/object-store-error.ts';
import { StoreError } from '../store/metadata-store.ts';
import { createOutageFilter } from './operator-errors.ts';

const REPORT_MS = 60_000;

function createLog() {
  const lines: string[] = [];
  const log = pino({ hooks: { logMethod: createOutageFilter(REPORT_MS) } }, { write: (line: string) => lines.push(line) });
  return { log, messages: () => lines.map((line) => JSON.parse(line)) };
}

const denied = (): Error =>
  new Error('Rows could not be kept', {
    cause: new ObjectStoreError('s3://results/', Object.assign(new Error('not yours'), { name: 'AccessDenied' })),
  });

test('logs the cause of an outage once in one line, then a count', () => {
  vi.useFakeTimers();
  try {
    const { log, messages } = createLog();
    for (let call = 1; call <= 5; call++)
      log.child({}).warn({ err: denied(), requestId: `r${call}` }, 'Service store unavailable');
    const cause = 'The object store s3://results/ cannot be used: AccessDenied: not yours';
    expect(messages()).toEqual([expect.objectContaining({ level: 40, requestId: 'r1', msg: cause })]);
    vi.advanceTimersByTime(REPORT_MS);
    expect(messages()[1]).toMatchObject({ failures: 4, msg: `${cause} (repeated)` });
    log.warn({ err: denied() }, 'Service store unavailable');
    expect(messages()[2]).toMatchObject({ msg: cause });
  } finally {
    vi.useRealTimers();
  }
});

test('keeps outages with different causes apart, and leaves other lines alone', () => {
  const { log, messages } = createLog();
  log.warn({ err: new StoreError('unavailable', 'gone', { cause: new Error('connect ECONNREFUSED 127.0.0.1:5432') }) }, 'one');
  log.warn({ err: new Error('write', { cause: Object.assign(new Error('x'), { code: 'ENOSPC' }) }) }, 'two');
  for (let call = 0; call < 2; call++) log.warn({ err: new StoreError('taken', 'The name is already taken.') }, 'three');
  log.info('four');
  expect(messages().map(({ msg }) => msg)).toEqual([
    'The metadata store cannot be used: connect ECONNREFUSED 127.0.0.1:5432',
    'The disk of the data folder is full (ENOSPC)',
    'three',
    'three',
    'four',
  ]);
});
