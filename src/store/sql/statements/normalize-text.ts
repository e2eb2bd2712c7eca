/** The form in which texts are compared, sorted and searched regardless of case. */
export const normalizeText = (text: string): string => text.normalize('NFKC').toLowerCase();

export const searchText = (...parts: readonly string[]): string => normalizeText(parts.join('\n'));

/** PostgreSQL rejects a NUL in text; a lookup with one must find nothing in both databases. */
export function removeNul<T>(parameters: readonly T[]): readonly (T | string)[] {
  if (!parameters.some(hasNul)) return parameters;
  return parameters.map((value) => (hasNul(value) ? value.replaceAll('\0', '\ufffd') : value));
}

const hasNul = (value: unknown): value is string => typeof value === 'string' && value.includes('\0');
