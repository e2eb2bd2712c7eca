/** PostgreSQL has no NUL in text and refuses the statement; a lookup with one must find nothing, on both databases alike. */
export function withoutNul(parameters: readonly unknown[]): unknown[] {
  return parameters.map((value) =>
    typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value,
  );
}
