/** PostgreSQL has no NUL in text and refuses the statement; a lookup with one must find nothing, on both databases alike. */
export function withoutNul<T>(parameters: readonly T[]): readonly (T | string)[] {
  if (!parameters.some(hasNul)) return parameters;
  return parameters.map((value) => (hasNul(value) ? value.replaceAll('\0', '\ufffd') : value));
}

const hasNul = (value: unknown): value is string => typeof value === 'string' && value.includes('\0');
