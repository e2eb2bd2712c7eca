/**
 * The objects that are active right now; the set changes on every call. Not a Set: V8 replaces its hash table on growth, an old
 * table refers to the next one, and removed objects stay reachable until the old generation is collected.
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

  /** A copy, unaffected by later changes. */
  list(): readonly Each[] {
    return [...this.#all];
  }
}
