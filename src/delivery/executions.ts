import { ActiveSet } from '../active-set.ts';
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
  const running = new ActiveSet<{ readonly execution: RunningExecution; readonly cancel: () => void }>();
  const found = (id: string) => running.find(({ execution }) => execution.id === id);
  const cancel = (id: string): boolean => {
    const wanted = found(id);
    if (wanted === undefined) return false;
    wanted.execution.state = 'cancelling';
    wanted.cancel();
    return true;
  };
  return {
    list: () => running.list().map((each) => each.execution),
    get: (id) => found(id)?.execution,
    cancel,
    begin: (execution, cancelIt) => {
      running.add({ execution, cancel: cancelIt });
    },
    end: (id) => {
      const ended = found(id);
      if (ended !== undefined) running.remove(ended);
    },
    cancelAll: () => {
      for (const { execution } of running.list()) cancel(execution.id);
    },
  };
}
