import type { DrawingTurn } from './chart-drawer.ts';

export interface DrawQueueLimits {
  readonly inAll: number;
  readonly perChart: number;
  readonly bytes: number; // of the rows of all waiting drawings
}

/**
 * Drawings that wait for a worker. Owners take turns, and so do the charts of an owner: a drawing waits for at most one of each other
 * owner, however many they have in the queue. A full queue drops the latest drawing of the owner with the most.
 */
export function createDrawQueue<T extends { readonly turn: DrawingTurn }>(limits: DrawQueueLimits) {
  const waiting: T[] = []; // in order of arrival
  const places = new Map<string, number>(); // by name of an owner or a chart; the lowest is next
  let lastPlace = 0;

  const countOf = (owner: string, chart?: string): number =>
    waiting.filter(({ turn }) => turn.owner === owner && (chart === undefined || turn.chart === chart)).length;
  const fits = (added: number): boolean => {
    const bytes = waiting.reduce((sum, { turn }) => sum + turn.bytes, 0);
    return waiting.length < limits.inAll && (waiting.length === 0 || bytes + added <= limits.bytes);
  };
  const placesOf = (job: T): readonly [owner: number, chart: number] => {
    const [owner = 0, chart = 0] = namesOf(job).map((name) => places.get(name));
    return [owner, chart];
  };
  const remove = (job: T): T => {
    waiting.splice(waiting.indexOf(job), 1);
    const { owner, chart } = job.turn;
    if (countOf(owner) === 0) places.delete(ownerName(job));
    if (countOf(owner, chart) === 0) places.delete(chartName(job));
    return job;
  };
  /** The latest drawing of the owner with the most, unless that is `owner`. */
  const findDisplaceable = (owner: string): T | undefined => {
    const latest = waiting.reduceRight<T | undefined>(
      (most, job) => (most === undefined || countOf(job.turn.owner) > countOf(most.turn.owner) ? job : most),
      undefined,
    );
    return latest !== undefined && countOf(latest.turn.owner) > countOf(owner) + 1 ? latest : undefined;
  };

  return {
    get length(): number {
      return waiting.length;
    },
    /** Adds a drawing, or returns false. `drop` is called with the drawings that were displaced. */
    add(job: T, drop: (dropped: T) => void): boolean {
      const { owner, chart, bytes } = job.turn;
      if (countOf(owner, chart) >= limits.perChart) return false;
      while (!fits(bytes)) {
        const dropped = findDisplaceable(owner);
        if (dropped === undefined) return false;
        drop(remove(dropped));
      }
      waiting.push(job);
      for (const name of namesOf(job)) if (!places.has(name)) places.set(name, ++lastPlace);
      return true;
    },
    take(): T | undefined {
      const [first] = waiting.toSorted((a, b) => {
        const [[ownerA, chartA], [ownerB, chartB]] = [placesOf(a), placesOf(b)];
        return ownerA - ownerB || chartA - chartB;
      });
      if (first === undefined) return undefined;
      for (const name of namesOf(first)) places.set(name, ++lastPlace);
      return remove(first);
    },
  };
}

const ownerName = ({ turn }: { readonly turn: DrawingTurn }): string => `owner ${turn.owner}`;
const chartName = ({ turn }: { readonly turn: DrawingTurn }): string => `chart ${turn.owner} ${turn.chart}`;
const namesOf = (job: { readonly turn: DrawingTurn }): readonly string[] => [ownerName(job), chartName(job)];
