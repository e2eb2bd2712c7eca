/** A fixed number of things that are lent out, first come, first served. */
export class Pool<T> {
  readonly #free: T[];
  readonly #waiting: ((item: T) => void)[] = [];

  constructor(items: readonly T[]) {
    this.#free = [...items];
  }

  /** Waits for a free one; `giveUp` ends the waiting with an error, and does nothing afterwards. */
  take(): { readonly taken: Promise<T>; giveUp(): void } {
    const free = this.#free.pop();
    if (free !== undefined) return { taken: Promise.resolve(free), giveUp: () => {} };
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting.push(resolve);
    const giveUp = (): void => {
      const at = this.#waiting.indexOf(resolve);
      if (at < 0) return;
      this.#waiting.splice(at, 1);
      reject(new Error('gave up waiting'));
    };
    return { taken: promise, giveUp };
  }

  give(item: T): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(item);
    else next(item);
  }
}
