/** Session properties as lines `name=value`. */
export const propertiesText = (properties: unknown): string =>
  typeof properties === 'object' && properties !== null
    ? Object.entries(properties)
        .map(([name, value]) => `${name}=${String(value)}`)
        .join('\n')
    : '';

/** Undefined if there are none. */
export function propertiesOf(text: string): Readonly<Record<string, string>> | undefined {
  const lines = linesOf(text);
  if (lines.length === 0) return undefined;
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=');
      return at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}

export const propertiesProblem = (text: string): string | null => {
  const wrong = linesOf(text).find((line) => !/^[^=]+=/.test(line));
  return wrong === undefined ? null : `Expected name=value, found “${wrong}”.`;
};

/** Trimmed, without empty ones. */
const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
