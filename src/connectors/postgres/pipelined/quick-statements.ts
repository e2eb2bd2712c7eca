const quickMs = 20;
const minRuns = 5;
const maxStatements = 1000;

/** The statements whose latest runs were all quick, with a result that arrived as a whole. */
export class QuickStatements {
  readonly #runs = new Map<string, number>(); // quick ones in a row

  has(key: string): boolean {
    return (this.#runs.get(key) ?? 0) >= minRuns;
  }

  ran(key: string, tookMs: number): void {
    if (tookMs > quickMs) {
      this.forget(key);
      return;
    }
    if (this.#runs.size >= maxStatements && !this.#runs.has(key)) this.#runs.clear();
    this.#runs.set(key, (this.#runs.get(key) ?? 0) + 1);
  }

  forget(key: string): void {
    this.#runs.delete(key);
  }
}
