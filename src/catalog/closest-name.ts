const LONGEST = 64; // of a name that is compared
const SHORTEST_PART = 3; // `name` of `parameterName`
const LISTED = 12;

/** The known name that is most like the sent one, if any is like it. */
export function findClosestName(sent: string, known: readonly string[]): string | undefined {
  const plainSent = foldName(sent);
  let closest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const name of known) {
    const plainName = foldName(name);
    const isPart = plainSent.length >= SHORTEST_PART && (plainName.includes(plainSent) || plainSent.includes(plainName));
    const most = isPart ? LONGEST : Math.max(plainSent.length, plainName.length) / 2;
    if (Math.abs(plainSent.length - plainName.length) > most) continue;
    const edits = countEdits(plainSent, plainName);
    if (edits > most || edits >= least) continue;
    closest = name;
    least = edits;
  }
  return closest;
}

/** Suggests the closest known name, or lists the known ones. */
export function suggestName(sent: string, known: readonly string[]): string {
  const closest = findClosestName(sent, known);
  if (closest !== undefined) return `Did you mean ${JSON.stringify(closest)}?`;
  if (known.length === 0) return 'Leave it out.';
  const more = known.length > LISTED ? ` and ${known.length - LISTED} more` : '';
  return `Known here: ${known.slice(0, LISTED).join(', ')}${more}.`;
}

/** A name from a caller, shortened for error messages. */
export const quoteName = (sent: string): string => JSON.stringify(sent.slice(0, 100));

const foldName = (name: string): string =>
  name
    .slice(0, LONGEST)
    .replace(/[@_\s-]/g, '')
    .toLowerCase();

/** Insertions, deletions, substitutions and swaps of neighbors (optimal string alignment distance). */
export function countEdits(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let edits = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) edits = Math.min(edits, (before[j - 2] ?? 0) + 1);
      row.push(edits);
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
