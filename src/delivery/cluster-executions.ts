import type { MetadataStore, ReportedExecution } from '../store/metadata-store.ts';
import type { Executions } from './executions.ts';

export interface ClusterExecutionsParts {
  readonly executions: Executions;
  /** Null if this process is the only one. */
  readonly store: Pick<MetadataStore, 'executions'> | null;
  readonly process: string; // unique in the cluster
  readonly now: () => number;
}

const REPORTED_AFTER_MS = 1_000;
const DEAD_AFTER_MS = 15_000;

export type ClusterExecutions = ReturnType<typeof createClusterExecutions>;

/** The executions of all processes. Most end within a second: only those that run longer are written to the store. */
export function createClusterExecutions({ executions, store, process, now }: ClusterExecutionsParts) {
  let reported = 0;
  const elsewhere = async (): Promise<readonly ReportedExecution[]> => {
    const all = (await store?.executions.list(now() - DEAD_AFTER_MS)) ?? [];
    return all.filter((each) => executions.get(each.id) === undefined);
  };
  return {
    list: async (): Promise<readonly ReportedExecution[]> =>
      [...executions.list(), ...(await elsewhere())].sort((a, b) => a.startedAt - b.startedAt),
    get: async (id: string): Promise<ReportedExecution | undefined> =>
      executions.get(id) ?? (await elsewhere()).find((each) => each.id === id),
    /** False if it is not running. In another process it ends with the next exchange there, about a second later. */
    cancel: async (id: string): Promise<boolean> =>
      executions.cancel(id) || ((await store?.executions.cancel(id, now() - DEAD_AFTER_MS)) ?? false),
    /** Reports the executions of this process to the others, and cancels those that others want cancelled. Called every second. */
    async exchange(): Promise<void> {
      if (store === null) return;
      const at = now();
      const lasting = executions.list().filter((each) => at - each.startedAt >= REPORTED_AFTER_MS);
      if (lasting.length === 0 && reported === 0) return;
      const cancelled = await store.executions.report(process, lasting, { at, forgetBefore: at - DEAD_AFTER_MS });
      reported = lasting.length;
      for (const id of cancelled) executions.cancel(id);
    },
  };
}
