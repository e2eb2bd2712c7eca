/**
 * Who is there now, where with every call somebody comes and goes. Not a Set: its table is replaced again and again, a table that has
 * become old refers to the next one, and so everything that ever passed through stays until the old generation is collected.
 */
export class ActiveSet<Each> {
  readonly #all: Each[] = [];

  get size(): number {
    return this.#all.length;
  }

  add(each: Each): void {
    this.#all.push(each);
  }

  has(each: Each): boolean {
    return this.#all.includes(each);
  }

  remove(each: Each): void {
    const at = this.#all.indexOf(each);
    if (at >= 0) this.#all.splice(at, 1);
  }

  find(wanted: (each: Each) => boolean): Each | undefined {
    return this.#all.find(wanted);
  }

  /** As of now: who comes or goes meanwhile does not disturb. */
  list(): readonly Each[] {
    return [...this.#all];
  }
}
