export interface Waiting {
  readonly databaseId: string;
  readonly userId: string;
  readonly arrival: number; // grows with each
  readonly until: number;
}

interface Lane<Each extends Waiting> {
  readonly databaseId: string;
  readonly userId: string;
  readonly waiting: Each[]; // never empty
}

/** Waiting calls, queued by database and user. All calls of a queue need the same slot, so only the first of each queue is considered. */
export class WaitingLanes<Each extends Waiting> {
  readonly #lanes = new Map<string, Lane<Each>>();
  readonly #perUser = new Map<string, number>();
  length = 0;

  of(userId: string): number {
    return this.#perUser.get(userId) ?? 0;
  }

  *all(): Iterable<Each> {
    for (const { waiting } of this.#lanes.values()) yield* waiting;
  }

  add(each: Each): void {
    const { databaseId, userId } = each;
    const lane = this.#lanes.get(nameOf(each));
    if (lane === undefined) this.#lanes.set(nameOf(each), { databaseId, userId, waiting: [each] });
    else lane.waiting.push(each);
    this.#count(userId, 1);
  }

  /** Nothing, where it is not among them any more. */
  remove(each: Each): void {
    const waiting = this.#lanes.get(nameOf(each))?.waiting ?? [];
    const at = waiting.indexOf(each);
    if (at < 0) return;
    if (waiting.length === 1) this.#lanes.delete(nameOf(each));
    else waiting.splice(at, 1);
    this.#count(each.userId, -1);
  }

  /** The first of those that fit: whose user weighs the least, then by arrival. */
  next(fits: (databaseId: string, userId: string) => boolean, weightOf: (userId: string) => number): Each | undefined {
    let best: Each | undefined;
    let bestWeight = Number.POSITIVE_INFINITY;
    for (const { databaseId, userId, waiting } of this.#lanes.values()) {
      const [first] = waiting;
      if (first === undefined || !fits(databaseId, userId)) continue;
      const weight = weightOf(userId);
      if (weight > bestWeight || (weight === bestWeight && first.arrival > (best?.arrival ?? 0))) continue;
      [best, bestWeight] = [first, weight];
    }
    return best;
  }

  /** The latest call of the user with the most waiting calls. */
  latestOfTheCrowd(): Each | undefined {
    let latest: Each | undefined;
    for (const each of this.all()) {
      const more = this.of(each.userId) - (latest === undefined ? 0 : this.of(latest.userId));
      if (more > 0 || (more === 0 && each.arrival > (latest?.arrival ?? 0))) latest = each;
    }
    return latest;
  }

  #count(userId: string, change: number): void {
    this.length += change;
    const count = this.of(userId) + change;
    if (count > 0) this.#perUser.set(userId, count);
    else this.#perUser.delete(userId);
  }
}

const nameOf = ({ databaseId, userId }: Waiting): string => `${databaseId} ${userId}`;
