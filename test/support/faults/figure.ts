/** Prints a measured figure for `npm run test:faults`; `fault` is its number in docs/security.md. */
export function reportFigure(fault: number, text: string): void {
  process.stdout.write(`fault ${fault}: ${text}\n`);
}

/** The value at the given percentile. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
