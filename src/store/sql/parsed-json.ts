const MOST = 500;
const LONGEST = 20_000;

const known = new Map<string, unknown>();

/**
 * The value of a JSON text that we wrote. The hot path reads the same few texts again and again: equal texts share one value,
 * which is why it is frozen.
 */
export function parsed<T>(text: string): T {
  const found = known.get(text);
  if (found !== undefined) return found as T; // what this very text was parsed to
  const value: T = JSON.parse(text, frozen);
  if (value === null || text.length > LONGEST) return value;
  if (known.size >= MOST) known.clear();
  known.set(text, value);
  return value;
}

const frozen = (_key: string, value: unknown): unknown => Object.freeze(value);
