const quickMs = 20;
const enoughRuns = 5;
const mostKnown = 1000;

/** Which statements have lately been quick, every time, and small enough to arrive at once. */
export class QuickStatements {
  readonly #runs = new Map<string, number>(); // in a row

  has(key: string): boolean {
    return (this.#runs.get(key) ?? 0) >= enoughRuns;
  }

  ran(key: string, tookMs: number): void {
    if (tookMs > quickMs) {
      this.forget(key);
      return;
    }
    if (this.#runs.size >= mostKnown && !this.#runs.has(key)) this.#runs.clear();
    this.#runs.set(key, (this.#runs.get(key) ?? 0) + 1);
  }

  forget(key: string): void {
    this.#runs.delete(key);
  }
}
