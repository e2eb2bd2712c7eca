import type { Pending } from './semaphore.ts';

export interface PoolOptions<T> {
  readonly max: number;
  /** Items that were idle for longer are ended. */
  readonly idleMs: number;
  create(): Promise<T>;
  /** False: the item is destroyed instead of used again. */
  isUsable(item: T): boolean;
  /** Ends an idle item. It counts until `remove` is called. */
  end(item: T): void;
  /** Ends an item at once. It counts until `remove` is called. */
  destroy(item: T): void;
}

/** A limited number of items, created when needed, used by one caller at a time and ended after a time without use. */
export class Pool<T> {
  readonly #options: PoolOptions<T>;
  readonly #items = new Set<T>();
  readonly #idle: { readonly item: T; readonly since: number }[] = []; // the longest idle first
  readonly #waiting: ((item: Promise<T>) => void)[] = [];
  readonly #sweep: NodeJS.Timeout;
  readonly #emptied = Promise.withResolvers<void>();
  #creating = 0;
  #closed = false;

  constructor(options: PoolOptions<T>) {
    this.#options = options;
    this.#sweep = setInterval(() => this.#endIdle(performance.now() - options.idleMs), options.idleMs / 4).unref();
  }

  /** An idle item. */
  tryAcquire(): T | undefined {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (this.#options.isUsable(idle.item)) return idle.item;
      this.#options.destroy(idle.item);
    }
    return undefined;
  }

  /** An idle item, a new one, or the next that is released. */
  acquire(): Pending<T> {
    const { promise, resolve } = Promise.withResolvers<T>();
    const idle = this.tryAcquire();
    if (idle !== undefined) resolve(idle);
    else if (this.#closed) resolve(Promise.reject(new Error('The pool is closed.')));
    else if (this.#open < this.#options.max) resolve(this.#create());
    else this.#waiting.push(resolve);
    const cancel = (): void => {
      const at = this.#waiting.indexOf(resolve);
      if (at >= 0) this.#waiting.splice(at, 1);
      else void promise.then((item) => this.release(item)).catch(() => {}); // it could not be created
    };
    return { granted: promise, cancel };
  }

  release(item: T): void {
    const { isUsable, end, destroy } = this.#options;
    if (!this.#items.has(item)) return; // removed while it was in use
    if (!isUsable(item)) destroy(item);
    else if (this.#closed) end(item);
    else if (this.#waiting.length > 0) this.#waiting.shift()?.(Promise.resolve(item));
    else this.#idle.push({ item, since: performance.now() });
  }

  /** An item is gone, such as a lost connection. There is room for a new one. */
  remove(item: T): void {
    if (!this.#items.delete(item)) return;
    const at = this.#idle.findIndex((idle) => idle.item === item);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#makeRoom();
  }

  /** Ends the idle items and resolves when every item is removed. `destroyUsed`: without waiting for their release. */
  close(destroyUsed = false): Promise<void> {
    if (this.#closed) return this.#emptied.promise;
    this.#closed = true;
    clearInterval(this.#sweep);
    for (const resolve of this.#waiting.splice(0)) resolve(Promise.reject(new Error('The pool is closed.')));
    const idle = new Set(this.#idle.map(({ item }) => item));
    this.#endIdle(Number.POSITIVE_INFINITY);
    if (destroyUsed) for (const item of this.#items) if (!idle.has(item)) this.#options.destroy(item);
    if (this.#open === 0) this.#emptied.resolve();
    return this.#emptied.promise;
  }

  get #open(): number {
    return this.#items.size + this.#creating;
  }

  async #create(): Promise<T> {
    this.#creating++;
    try {
      const item = await this.#options.create();
      this.#creating--;
      this.#items.add(item);
      return item;
    } catch (error) {
      this.#creating--;
      this.#makeRoom();
      throw error;
    }
  }

  #makeRoom(): void {
    if (this.#closed && this.#open === 0) this.#emptied.resolve();
    this.#waiting.shift()?.(this.#create());
  }

  #endIdle(before: number): void {
    for (let [first] = this.#idle; first !== undefined && first.since < before; [first] = this.#idle) {
      this.#idle.shift();
      this.#options.end(first.item);
    }
  }
}
