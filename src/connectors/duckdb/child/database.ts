import { endsWithin } from '../../../core/concurrency/ends-within.ts';
import { Semaphore } from '../../../core/concurrency/semaphore.ts';
import { ConnectorError } from '../../connector.ts';
import type { Session } from './session.ts';

const interruptEveryMs = 50; // DuckDB can miss an interrupt right after the start of a statement

/** An open database file and its connections. Time limits are measured by the service, which aborts the signals. */
export class Database {
  readonly writable: boolean;
  readonly #connections: number;
  readonly #idle: Session[];
  readonly #permits: Semaphore;

  constructor(sessions: readonly Session[], writable: boolean) {
    this.writable = writable;
    this.#connections = sessions.length;
    this.#idle = [...sessions];
    this.#permits = new Semaphore(sessions.length);
  }

  /** Does work on a free connection. */
  async use<T>(signal: AbortSignal, work: (session: Session) => Promise<T>): Promise<T> {
    await this.#permit(signal);
    const session = this.#idle.pop();
    if (session === undefined) throw new Error('There are fewer connections than permits.');
    try {
      return await work(session);
    } finally {
      this.#idle.push(session);
      this.#permits.release();
    }
  }

  /** Waits for the active work and ends every connection. */
  async close(): Promise<void> {
    for (let closed = 0; closed < this.#connections; closed++) {
      await this.#permits.acquire().granted;
      this.#idle.pop()?.close();
    }
  }

  async #permit(signal: AbortSignal): Promise<void> {
    requireRunning(signal);
    const { granted, cancel } = this.#permits.acquire();
    await endsWithin(granted, undefined, signal);
    if (signal.aborted) cancel();
    requireRunning(signal);
  }
}

/** Interrupts the work in the database when the signal is aborted, and rejects as cancelled when the work has ended. */
export async function runInterruptible<T>(session: Session, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  requireRunning(signal);
  let repeating: NodeJS.Timeout | undefined;
  const interrupt = (): void => {
    session.interrupt();
    repeating ??= setInterval(interrupt, interruptEveryMs);
  };
  signal.addEventListener('abort', interrupt);
  try {
    return await work();
  } catch (error) {
    throw signal.aborted ? cancelledError() : error;
  } finally {
    signal.removeEventListener('abort', interrupt);
    clearInterval(repeating);
  }
}

function requireRunning(signal: AbortSignal): void {
  if (signal.aborted) throw cancelledError();
}

const cancelledError = (): ConnectorError => new ConnectorError('cancelled', 'The query was cancelled.');
