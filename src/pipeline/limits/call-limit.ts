const WINDOW_MS = 60_000;
const MAX_NAMES = 10_000;

/** Counts calls by name in windows of a minute. Returns the seconds to wait; 0: admitted. */
export function createCallLimit(): (name: string, most: number, now: number) => number {
  let counts = new Map<string, number>();
  let windowAt = 0;
  return (name, most, now) => {
    if (now - windowAt >= WINDOW_MS || now < windowAt || counts.size > MAX_NAMES) [counts, windowAt] = [new Map(), now];
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count <= most ? 0 : Math.max(1, Math.ceil((windowAt + WINDOW_MS - now) / 1000));
  };
}
