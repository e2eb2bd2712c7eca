import type { Channel } from '../audit/audit-entry.ts';

/** What runs now in this process. */
export interface RunningExecution {
  readonly id: string;
  readonly query: string; // technical name
  readonly userId: string;
  readonly user: string;
  readonly channel: Channel;
  readonly startedAt: number;
  rows: number;
  state: 'waiting' | 'running' | 'draining' | 'cancelling';
}

export interface Executions {
  list(): readonly RunningExecution[];
  get(id: string): RunningExecution | undefined;
  /** False when it is not running (any more). */
  cancel(id: string): boolean;
  begin(execution: RunningExecution, cancel: () => void): void;
  end(id: string): void;
  cancelAll(): void;
}

export function createExecutions(): Executions {
  const running = new Map<string, { execution: RunningExecution; cancel: () => void }>();
  const cancel = (id: string): boolean => {
    const found = running.get(id);
    if (found === undefined) return false;
    found.execution.state = 'cancelling';
    found.cancel();
    return true;
  };
  return {
    list: () => [...running.values()].map((each) => each.execution),
    get: (id) => running.get(id)?.execution,
    cancel,
    begin: (execution, cancelIt) => {
      running.set(execution.id, { execution, cancel: cancelIt });
    },
    end: (id) => {
      running.delete(id);
    },
    cancelAll: () => {
      for (const id of running.keys()) cancel(id);
    },
  };
}
