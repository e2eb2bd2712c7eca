const quickMs = 20;
const minRuns = 5;
const minRunsAfterBadBatch = 50;
const maxStatements = 1000;

/** The members of a batch run one after the other: beyond this they are better off on separate connections. */
export const isQuickBatch = (tookMs: number, members: number): boolean => tookMs <= quickMs + members;

/** The statements whose latest runs were all quick, with a result that arrived as a whole. */
export class QuickStatements {
  readonly #runs = new Map<string, number>(); // quick ones in a row; negative after a bad batch

  has(key: string): boolean {
    return this.#count(key) >= minRuns;
  }

  /** A separate run that returned its result as a whole. */
  recordRun(key: string, tookMs: number): void {
    if (tookMs > quickMs) this.recordSlowRun(key);
    else this.#set(key, this.#count(key) + 1);
  }

  recordSlowRun(key: string): void {
    if (this.#count(key) > 0) this.#runs.delete(key);
  }

  /** Its batch was slow or abandoned: it has to be quick many times before it joins another. */
  distrust(key: string): void {
    this.#set(key, minRuns - minRunsAfterBadBatch);
  }

  #count(key: string): number {
    return this.#runs.get(key) ?? 0;
  }

  #set(key: string, count: number): void {
    if (this.#runs.size >= maxStatements && !this.#runs.has(key)) this.#runs.clear();
    this.#runs.set(key, count);
  }
}
