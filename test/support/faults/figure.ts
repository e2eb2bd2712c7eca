/** What a test measured, as `npm run test:faults` collects it: the number is that of the fault in docs/security.md. */
export function reportFigure(fault: number, text: string): void {
  process.stdout.write(`fault ${fault}: ${text}\n`);
}

/** The value below which `share` of the measured ones lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
