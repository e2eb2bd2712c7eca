/** The next round number that is no smaller. */
export function niceCeiling(value: number): number {
  if (value <= 0) return 1;
  const magnitude = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((each) => each * magnitude >= value) ?? 10;
  return factor * magnitude;
}
