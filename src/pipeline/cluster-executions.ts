import { setTimeout as sleep } from 'node:timers/promises';
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
const ATTEMPTS = 3;

export type ClusterExecutions = ReturnType<typeof createClusterExecutions>;

/** The executions of all processes. Most end within a second: only those that run longer are written to the store. */
export function createClusterExecutions({ executions, store, process, now }: ClusterExecutionsParts) {
  let reported = 0;
  const listElsewhere = async (): Promise<readonly ReportedExecution[]> => {
    const all = (await store?.executions.list(now() - DEAD_AFTER_MS)) ?? [];
    return all.filter((each) => executions.get(each.id) === undefined);
  };
  const list = async (): Promise<readonly ReportedExecution[]> =>
    [...executions.list(), ...(await listElsewhere())].sort((a, b) => a.startedAt - b.startedAt);
  /** False if it is not running. In another process it ends with the next exchange there, about a second later. */
  const cancel = async (id: string): Promise<boolean> =>
    executions.cancel(id) || ((await store?.executions.cancel(id, now() - DEAD_AFTER_MS)) ?? false);
  return {
    list,
    get: async (id: string): Promise<ReportedExecution | undefined> =>
      executions.get(id) ?? (await listElsewhere()).find((each) => each.id === id),
    cancel,
    /**
     * Cancels the only execution of this request whose caller still waits. Names are unique per client only: of several executions
     * with the same one, none is cancelled. One that another process has not reported yet is found by a later attempt.
     */
    async cancelRequest(request: string): Promise<void> {
      for (let attempt = 1; attempt <= (store === null ? 1 : ATTEMPTS); attempt++) {
        if (attempt > 1) await sleep(REPORTED_AFTER_MS, undefined, { ref: false });
        const found = (await list()).filter((each) => each.request === request && each.state !== 'draining');
        if (found.length === 1 && found[0] !== undefined) await cancel(found[0].id);
        if (found.length > 0) return;
      }
    },
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
