/** The number with the shortest text that reads back as the same single-precision number: 0.1 instead of 0.10000000149011612. */
export function toShortestFloat32(value: number): number {
  if ((value | 0) === value) return value | 0;
  for (let precision = 6; precision < 9; precision++) {
    const short = Number(value.toPrecision(precision));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
}
