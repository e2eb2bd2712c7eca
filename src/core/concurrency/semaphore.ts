/** A request that may have to wait. */
export interface Pending<T> {
  readonly granted: Promise<T>;
  /** Stops waiting; what was granted at the same moment is returned. `granted` must not be used afterwards. */
  cancel(): void;
}

/** A number of permits, granted in the order of the requests. With one permit it is a mutex. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(permits: number) {
    this.#free = permits;
  }

  /** How many requests wait for a permit. */
  get waiting(): number {
    return this.#waiting.length;
  }

  tryAcquire(): boolean {
    if (this.#free === 0) return false;
    this.#free--;
    return true;
  }

  acquire(): Pending<void> {
    if (this.tryAcquire()) return { granted: Promise.resolve(), cancel: () => this.release() };
    const { promise: granted, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    const cancel = (): void => {
      const at = this.#waiting.indexOf(resolve);
      if (at < 0) this.release();
      else this.#waiting.splice(at, 1);
    };
    return { granted, cancel };
  }

  /** Resolves to false when no permit was granted in time. Waiting does not keep the process alive. */
  acquireWithin(ms: number): Promise<boolean> {
    if (this.tryAcquire()) return Promise.resolve(true);
    const { granted, cancel } = this.acquire();
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        cancel();
        resolve(false);
      }, ms).unref();
      void granted.then(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
