import type { LogFn, Logger } from 'pino';
import { ObjectStoreError } from '../results/storage/object-store-error.ts';
import { StoreError } from '../store/metadata-store.ts';
import { storeMessage } from './operator-errors.ts';

const REPORT_MS = 60_000;
const LONGEST_CHAIN = 8;

/**
 * A hook of the log. While a store is away, every call fails with the same cause: it is logged once, in one line, and then counted, with
 * one line per minute.
 */
export function createOutageFilter(reportMs = REPORT_MS) {
  const counts = new Map<string, number>(); // further failures by cause
  return function logMethod(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
    const [first]: readonly unknown[] = args;
    const fields = typeof first === 'object' && first !== null ? first : {};
    const outage = outageOf('err' in fields ? fields.err : undefined);
    if (outage === null) return method.apply(this, args);
    const known = counts.get(outage);
    if (known !== undefined) return void counts.set(outage, known + 1);
    counts.set(outage, 0);
    const requestId = 'requestId' in fields ? { requestId: fields.requestId } : {};
    const report = (): void => {
      const failures = counts.get(outage) ?? 0;
      counts.delete(outage);
      if (failures > 0) method.apply(this, [{ failures }, `${outage} (repeated)`]);
    };
    setTimeout(report, reportMs).unref();
    method.apply(this, [requestId, outage]);
  };
}

/** The cause of an outage of a store or a full disk, which callers do not cause and operators end; otherwise null. */
function outageOf(error: unknown, depth = 0): string | null {
  if (!(error instanceof Error) || depth > LONGEST_CHAIN) return null;
  if (error instanceof ObjectStoreError) return error.message;
  if (error instanceof StoreError) return error.kind === 'unavailable' ? storeMessage(error) : null;
  if ('code' in error && error.code === 'ENOSPC') return 'The disk of the data folder is full (ENOSPC)';
  return outageOf(error.cause, depth + 1);
}
