import type { Principal } from '../access/principal.ts';
import { ActiveSet } from '../core/concurrency/active-set.ts';
import type { ReportedExecution } from '../store/metadata-store.ts';
import { ExecutionCancelledError } from './steps/find-canceller.ts';

/** An execution of this process; `rows` and `state` change while it runs. */
export type RunningExecution = Omit<ReportedExecution, 'rows' | 'state'> & Mutable<Pick<ReportedExecution, 'rows' | 'state'>>;
type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

/** How a request is named to all processes. Only its own key can name it; null for other credentials. */
export const requestOf = ({ authentication }: Principal, name: string): string | null =>
  authentication.kind === 'key' ? `${authentication.keyId} ${name}` : null;

export type Executions = ReturnType<typeof createExecutions>;

export function createExecutions() {
  const running = new ActiveSet<{ readonly execution: RunningExecution; readonly cancel: (reason: Error) => void }>();
  const find = (id: string) => running.find(({ execution }) => execution.id === id);
  /** False if it is not running. */
  const cancel = (id: string, by: 'user' | 'shutdown' = 'user'): boolean => {
    const found = find(id);
    if (found === undefined) return false;
    found.execution.state = 'cancelling';
    found.cancel(new ExecutionCancelledError(by));
    return true;
  };
  return {
    list: (): readonly RunningExecution[] => running.list().map(({ execution }) => execution),
    get: (id: string): RunningExecution | undefined => find(id)?.execution,
    cancel,
    /** Returns a function that ends it (idempotent). */
    begin(execution: RunningExecution, cancelIt: (reason: Error) => void): () => void {
      const begun = { execution, cancel: cancelIt };
      running.add(begun);
      return () => running.remove(begun);
    },
    cancelAll(): void {
      for (const { execution } of running.list()) cancel(execution.id, 'shutdown');
    },
  };
}
