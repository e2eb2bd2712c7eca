/** Tells readers of this process at once that rows were written, or that no more will be. */
export class LiveDrain {
  #waiting: PromiseWithResolvers<void> = Promise.withResolvers();

  /** Settles at the next change; to be asked for before looking, so that none is missed. */
  get changed(): Promise<void> {
    return this.#waiting.promise;
  }

  wake(): void {
    this.#waiting.resolve();
    this.#waiting = Promise.withResolvers();
  }
}
