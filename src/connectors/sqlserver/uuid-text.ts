/** The first three groups are little-endian. */
export function uuidText(bytes: Buffer, start: number): string {
  const hex = bytes.toString('hex', start, start + 16);
  const at = (...places: number[]): string => places.map((place) => hex.slice(place * 2, place * 2 + 2)).join('');
  return `${at(3, 2, 1, 0)}-${at(5, 4)}-${at(7, 6)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
