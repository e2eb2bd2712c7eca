import type { Worker } from 'node:cluster';
import { LRUCache } from 'lru-cache';
import type { ApiKeyRepository, LimitRepository, SlotRequest } from '../store/metadata-store.ts';
import { connectToParent, serveRequests } from './worker-requests.ts';

/** What a worker asks its parent process for. Each request replaces what the process held before. */
export type LimitRequest =
  | { readonly kind: 'calls'; readonly name: string; readonly perSecond: number; readonly wanted: number }
  | ({ readonly kind: 'slots' } & SlotRequest)
  | {
      readonly kind: 'rows';
      readonly keyId: string;
      readonly process: string;
      readonly day: number;
      readonly most: number;
      readonly had: number; // rows that the key received today, as the worker has read
      readonly wanted: number;
    }
  | { readonly kind: 'drop'; readonly process: string };

export interface LimitResponse {
  readonly granted: number;
  readonly others: number; // held by the other workers
}

const MAX_NAMES = 10_000;

/** The limits of one machine whose metadata is in SQLite, in the memory of the process that starts the workers. */
export function createWorkerLimits(now: () => number = Date.now) {
  const allowances = new LRUCache<string, { readonly calls: number; readonly at: number }>({ max: MAX_NAMES });
  const slots = new Map<string, Map<string, Held>>(); // by name and process
  const rows = new Map<string, { day: number; had: number; held: Map<string, number> }>(); // by key

  const takeCalls = (name: string, perSecond: number, wanted: number): LimitResponse => {
    const at = now();
    const before = allowances.get(name) ?? { calls: perSecond, at };
    const free = Math.min(perSecond, before.calls + (Math.max(0, at - before.at) / 1000) * perSecond);
    const granted = Math.min(wanted, Math.floor(free));
    allowances.set(name, { calls: free - granted, at });
    return { granted, others: 0 };
  };
  const holdRows = ({ keyId, process, day, most, had, wanted }: Extract<LimitRequest, { kind: 'rows' }>): LimitResponse => {
    const known = rows.get(keyId);
    if (known !== undefined && known.day > day) return { granted: 0, others: 0 };
    const ofKey = known?.day === day ? known : { day, had: 0, held: new Map<string, number>() };
    // a worker returns rows together with the count that they are in; the count that another one has read may be older
    ofKey.had = Math.max(ofKey.had, had);
    const response = hold(ofKey.held, process, most - ofKey.had, wanted);
    rows.set(keyId, ofKey);
    return response;
  };
  const drop = (process: string): void => {
    for (const [name, held] of slots) if (held.delete(process) && held.size === 0) slots.delete(name);
    for (const { held } of rows.values()) held.delete(process);
  };

  return {
    respond(request: LimitRequest): LimitResponse {
      switch (request.kind) {
        case 'calls':
          return takeCalls(request.name, request.perSecond, request.wanted);
        case 'slots': {
          const held = slots.get(request.name) ?? new Map<string, Held>();
          const granted = holdSlots(held, request);
          if (held.size === 0) slots.delete(request.name);
          else slots.set(request.name, held);
          return { granted, others: 0 };
        }
        case 'rows':
          return holdRows(request);
        case 'drop':
          drop(request.process);
          return { granted: 0, others: 0 };
      }
    },
    drop,
  };
}

interface Held {
  readonly held: number;
  readonly wanted: number;
}

/** As many as are wanted; if all processes together want more than there are, at least an equal part. */
function holdSlots(of: Map<string, Held>, { process, most, wanted, used }: SlotRequest): number {
  of.delete(process);
  const others = [...of.values()];
  const leftByHeld = most - others.reduce((sum, { held }) => sum + held, 0);
  const leftByWanted = most - others.reduce((sum, other) => sum + Math.max(other.held, other.wanted), 0);
  const fair = Math.max(1, Math.floor(most / (others.length + 1)));
  const granted = Math.max(0, Math.min(wanted, leftByHeld, Math.max(fair, leftByWanted)));
  if (wanted > 0 || used > 0) of.set(process, { held: Math.max(granted, used), wanted });
  return granted;
}

/** As many as are wanted, or as the others leave. */
function hold(held: Map<string, number>, process: string, most: number, wanted: number): LimitResponse {
  held.delete(process);
  const others = [...held.values()].reduce((sum, each) => sum + each, 0);
  const granted = Math.max(0, Math.min(wanted, most - others));
  if (granted > 0) held.set(process, granted);
  return { granted, others };
}

/** Responds to a worker until it ends; then others get what it held. */
export function serveLimits(worker: Worker, limits: ReturnType<typeof createWorkerLimits>): void {
  const processes = new Set<string>();
  serveRequests(worker, 'limits', (request: LimitRequest) => {
    if ('process' in request) processes.add(request.process);
    return limits.respond(request);
  });
  worker.once('exit', () => processes.forEach(limits.drop));
}

/** The limits that a worker shares with the others by its parent process. */
export function connectWorkerLimits(apiKeys: Pick<ApiKeyRepository, 'addRows' | 'rowsOn'>): LimitRepository {
  const ask = connectToParent<LimitRequest, LimitResponse>('limits');
  return {
    takeCalls: async (name, perSecond, wanted) => (await ask({ kind: 'calls', name, perSecond, wanted })).granted,
    holdSlots: async (request) => (await ask({ kind: 'slots', ...request })).granted,
    async holdRows({ added, ...request }) {
      const { keyId, day } = request;
      if (added > 0) await apiKeys.addRows(day, [{ id: keyId, rows: added }]);
      const had = (await apiKeys.rowsOn(day, [keyId])).get(keyId) ?? 0;
      return { had, ...(await ask({ kind: 'rows', ...request, had })) };
    },
    async drop(process) {
      await ask({ kind: 'drop', process });
    },
    keepSlots: async () => undefined, // the parent process sees a worker end
  };
}
