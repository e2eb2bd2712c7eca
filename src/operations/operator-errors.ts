import type { LogFn, Logger } from 'pino';
import { ConfigError } from '../config/config.ts';
import { ConnectorError } from '../connectors/connector.ts';
import { errorCode } from '../core/error-code.ts';
import { ObjectStoreError } from '../results/storage/object-store-error.ts';
import { StoreError } from '../store/metadata-store.ts';

/** An error that an operator can fix, in one line that names its cause; null for a defect, which keeps its stack. */
export function operatorMessage(error: unknown): string | null {
  const message = messageOf(error);
  return message === null ? null : message.replace(/\s+/g, ' ').trim();
}

function messageOf(error: unknown): string | null {
  if (error instanceof ConfigError || error instanceof ObjectStoreError || error instanceof ConnectorError) return error.message;
  if (error instanceof StoreError) return storeMessage(error);
  const code = errorCode(error);
  if (!(error instanceof Error) || code === null) return null;
  const syscall = 'syscall' in error ? error.syscall : undefined;
  if (syscall === 'listen' || syscall === 'getaddrinfo') return listenMessage(error, code);
  if (code.startsWith('ERR_OSSL')) return `bad value for SLUICE_TLS_CERT or SLUICE_TLS_KEY: ${error.message}`;
  if (syscall !== undefined || code === 'ERR_SQLITE_ERROR') return error.message;
  return null;
}

/** What the server or the operating system reported about the metadata store. */
function storeMessage(error: StoreError): string {
  const cause = causeText(error.cause);
  if (error.kind !== 'unavailable' || cause === '' || error.message.includes(cause)) return error.message;
  return `The metadata store cannot be used: ${cause}`;
}

function causeText(cause: unknown): string {
  if (cause instanceof AggregateError) return [...new Set(cause.errors.map(causeText))].join(', '); // one per address
  return cause instanceof Error ? cause.message : '';
}

function listenMessage(error: Error, code: string): string {
  const address = 'address' in error ? error.address : 'hostname' in error ? error.hostname : '';
  const port = 'port' in error && error.port !== undefined ? `:${error.port}` : '';
  return code === 'EADDRINUSE'
    ? `port ${port.slice(1)} on ${address} is in use; set SLUICE_PORT to another one`
    : `cannot listen on ${address}${port} (${code}); see SLUICE_HOST and SLUICE_PORT`;
}

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
  if (errorCode(error) === 'ENOSPC') return 'The disk of the data folder is full (ENOSPC)';
  return outageOf(error.cause, depth + 1);
}
