import { ActiveSet } from '../../core/concurrency/active-set.ts';
import type { Pending } from '../../core/concurrency/semaphore.ts';
import { ConnectorError } from '../connector.ts';
import type { RunDeadline } from './run-deadline.ts';

/** The runs of one connector. Closing the connector stops them. */
export class ActiveRuns {
  readonly #deadlines = new ActiveSet<RunDeadline>();
  #closed = false;

  get size(): number {
    return this.#deadlines.size;
  }

  begin(deadline: RunDeadline): void {
    if (this.#closed) throw new ConnectorError('unavailable', closedMessage);
    if (deadline.stopped !== undefined) throw deadline.stopped;
    this.#deadlines.add(deadline);
  }

  end(deadline: RunDeadline): void {
    deadline.end();
    this.#deadlines.remove(deadline);
  }

  /** Waits for what the run needs to start. A run that is stopped meanwhile ends. */
  async wait<T>(deadline: RunDeadline, { granted, cancel }: Pending<T>): Promise<T> {
    try {
      return await deadline.runWithin(granted);
    } catch (error) {
      cancel();
      this.end(deadline);
      throw error;
    }
  }

  /** Cancels all runs and refuses later ones. */
  stopAll(): void {
    this.#closed = true;
    for (const deadline of this.#deadlines.list()) deadline.stop(new ConnectorError('unavailable', closedMessage));
  }
}

const closedMessage = 'The connection to the database was closed.';
