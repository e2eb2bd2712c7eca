import type { MetadataStore } from '../store/metadata-store.ts';
import type { Executions, RunningExecution } from './executions.ts';

/** What runs in every process of the installation. */
export interface RunningEverywhere {
  list(): Promise<readonly RunningExecution[]>;
  get(id: string): Promise<RunningExecution | undefined>;
  /** False when it is not running (any more). In another process it ends with that one's next look, about a second later. */
  cancel(id: string): Promise<boolean>;
  /** Tells the others what runs here for a while now, and cancels here what they want to end. To be called every second. */
  exchange(): Promise<void>;
}

export interface RunningEverywhereParts {
  readonly executions: Executions;
  /** Null where this process is the only one. */
  readonly store: Pick<MetadataStore, 'executions'> | null;
  readonly process: string; // a name that no other process has
  readonly now: () => number;
}

const WORTH_TELLING_MS = 1_000;
const DEAD_AFTER_MS = 15_000;

/** Most executions end before anyone could look for them: only those that last are written to the store. */
export function createRunningEverywhere({ executions, store, process, now }: RunningEverywhereParts): RunningEverywhere {
  let told = 0;
  const elsewhere = async (): Promise<readonly RunningExecution[]> => {
    const all = (await store?.executions.list(now() - DEAD_AFTER_MS)) ?? [];
    return all.filter((each) => executions.get(each.id) === undefined);
  };
  return {
    list: async () => [...executions.list(), ...(await elsewhere())].sort((a, b) => a.startedAt - b.startedAt),
    get: async (id) => executions.get(id) ?? (await elsewhere()).find((each) => each.id === id),
    cancel: async (id) => executions.cancel(id) || ((await store?.executions.cancel(id, now() - DEAD_AFTER_MS)) ?? false),
    exchange: async () => {
      if (store === null) return;
      const at = now();
      const lasting = executions.list().filter((each) => at - each.startedAt >= WORTH_TELLING_MS);
      if (lasting.length === 0 && told === 0) return;
      const unwanted = await store.executions.report(process, lasting, { at, forgetBefore: at - DEAD_AFTER_MS });
      told = lasting.length;
      for (const id of unwanted) executions.cancel(id);
    },
  };
}
