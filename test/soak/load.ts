import { setTimeout as sleep } from 'node:timers/promises';
import type { Kind } from './kinds.ts';
import type { SoakService } from './service.ts';

const CONCURRENCY = 32;

/** The results so far. */
export interface Tally {
  readonly calls: Map<string, number>;
  readonly unexpected: Map<string, number>; // by kind and status
  heldBack: number; // calls skipped because too many were in flight
}

export const createTally = (): Tally => ({ calls: new Map(), unexpected: new Map(), heldBack: 0 });

/** Calls per second when each of a few callers starts the next call after the previous response. */
export async function measureCapacity(
  service: SoakService,
  kinds: readonly Kind[],
  seconds: number,
  tally: Tally,
): Promise<number> {
  const deck = deckOf(kinds.filter(({ waits }) => !waits));
  const startedAt = performance.now();
  let turn = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() - startedAt < seconds * 1000) {
      const now = turn++;
      await callOnce(service, deck[now % deck.length], now, tally);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY / 2 }, caller));
  return turn / ((performance.now() - startedAt) / 1000);
}

/** Starts calls at a fixed rate, however long they take, unless too many are in flight. */
export async function runSteadyLoad(
  service: SoakService,
  kinds: readonly Kind[],
  { rate, seconds, tally }: { readonly rate: number; readonly seconds: number; readonly tally: Tally },
): Promise<void> {
  const deck = deckOf(kinds);
  const underWay = new Set<Promise<void>>();
  const startedAt = performance.now();
  for (let turn = 0; performance.now() - startedAt < seconds * 1000; turn++) {
    const due = startedAt + (turn / rate) * 1000;
    await sleep(Math.max(0, due - performance.now()));
    if (underWay.size >= CONCURRENCY) {
      tally.heldBack++;
      continue;
    }
    const call = callOnce(service, deck[turn % deck.length], turn, tally).finally(() => underWay.delete(call));
    underWay.add(call);
  }
  await Promise.all(underWay);
}

async function callOnce(service: SoakService, kind: Kind | undefined, turn: number, tally: Tally): Promise<void> {
  if (kind === undefined) return;
  const status = await kind.call(service, turn).catch((error: unknown) => `no answer: ${describeError(error)}`);
  add(tally.calls, kind.name);
  if (typeof status === 'number' && kind.expected.includes(status)) return;
  add(tally.unexpected, `${kind.name}: ${status}`);
}

const describeError = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
};

const add = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);

/** Every kind as often as its weight, shuffled, the same on every run. */
function deckOf(kinds: readonly Kind[]): readonly Kind[] {
  const deck = kinds.flatMap((kind) => Array.from({ length: Math.round(kind.weight * 10) }, () => kind));
  let seed = 42;
  for (let last = deck.length - 1; last > 0; last--) {
    seed = (seed * 48_271) % 2_147_483_647;
    const other = seed % (last + 1);
    const [a, b] = [deck[last], deck[other]];
    if (a !== undefined && b !== undefined) [deck[last], deck[other]] = [b, a];
  }
  return deck;
}
