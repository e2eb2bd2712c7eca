import type { Entered } from './admission.ts';

export interface WaitingCall {
  readonly databaseId: string;
  readonly userId: string;
  readonly arrival: number; // increases with each call
  readonly until: number;
  /** Removes the call from the queue, with a slot or with the reason why not. */
  readonly settle: (entered: Entered) => void;
}

/** Waiting calls, grouped by database and user. The calls of a group need the same slot, so only the first of each is considered. */
export class AdmissionQueue {
  readonly #groups = new Map<string, WaitingCall[]>(); // none is empty
  readonly #perUser = new Map<string, number>();
  length = 0;

  countOf(userId: string): number {
    return this.#perUser.get(userId) ?? 0;
  }

  *all(): Iterable<WaitingCall> {
    for (const group of this.#groups.values()) yield* group;
  }

  add(call: WaitingCall): void {
    const group = this.#groups.get(groupOf(call));
    if (group === undefined) this.#groups.set(groupOf(call), [call]);
    else group.push(call);
    this.#count(call.userId, 1);
  }

  /** Has no effect if the call is not in the queue. */
  remove(call: WaitingCall): void {
    const group = this.#groups.get(groupOf(call)) ?? [];
    const at = group.indexOf(call);
    if (at < 0) return;
    if (group.length === 1) this.#groups.delete(groupOf(call));
    else group.splice(at, 1);
    this.#count(call.userId, -1);
  }

  /** Of the calls that fit, one of the user with the lowest weight; of those the first to arrive. */
  next(fits: (databaseId: string, userId: string) => boolean, weightOf: (userId: string) => number): WaitingCall | undefined {
    let best: WaitingCall | undefined;
    let bestWeight = Number.POSITIVE_INFINITY;
    for (const [first] of this.#groups.values()) {
      if (first === undefined || !fits(first.databaseId, first.userId)) continue;
      const weight = weightOf(first.userId);
      if (weight > bestWeight || (weight === bestWeight && first.arrival > (best?.arrival ?? 0))) continue;
      [best, bestWeight] = [first, weight];
    }
    return best;
  }

  /** The latest call of the user with the most waiting calls. */
  latestOfBusiestUser(): WaitingCall | undefined {
    let latest: WaitingCall | undefined;
    for (const call of this.all()) {
      const more = this.countOf(call.userId) - (latest === undefined ? 0 : this.countOf(latest.userId));
      if (more > 0 || (more === 0 && call.arrival > (latest?.arrival ?? 0))) latest = call;
    }
    return latest;
  }

  #count(userId: string, change: number): void {
    this.length += change;
    const count = this.countOf(userId) + change;
    if (count > 0) this.#perUser.set(userId, count);
    else this.#perUser.delete(userId);
  }
}

const groupOf = ({ databaseId, userId }: WaitingCall): string => `${databaseId} ${userId}`;
