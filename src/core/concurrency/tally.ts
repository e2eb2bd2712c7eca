/** Sums by name. A sum of 0 takes no memory. */
export class Tally {
  readonly #sums = new Map<string, number>();

  of(name: string): number {
    return this.#sums.get(name) ?? 0;
  }

  add(name: string, change: number): void {
    const sum = this.of(name) + change;
    if (sum === 0) this.#sums.delete(name);
    else this.#sums.set(name, sum);
  }
}
