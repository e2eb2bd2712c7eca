const MAX_COMPARED_LENGTH = 64;
const MIN_PART_LENGTH = 3; // a name may be part of another: `name` of `parameterName`
const MAX_LISTED = 12;

/** The known name with the fewest edits from the sent one; undefined if none is similar. */
export function findClosestName(sent: string, known: readonly string[]): string | undefined {
  const plainSent = foldName(sent);
  let closest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const name of known) {
    const plainName = foldName(name);
    const isPart = plainSent.length >= MIN_PART_LENGTH && (plainName.includes(plainSent) || plainSent.includes(plainName));
    const most = isPart ? MAX_COMPARED_LENGTH : Math.max(plainSent.length, plainName.length) / 2;
    if (Math.abs(plainSent.length - plainName.length) > most) continue;
    const edits = countEdits(plainSent, plainName, Math.min(most, least - 1));
    if (edits === undefined) continue;
    closest = name;
    least = edits;
  }
  return closest;
}

/** Suggests the closest of the known names, or lists them if there is none. */
export function suggestName(closest: string | undefined, known: readonly string[]): string {
  if (closest !== undefined) return `Did you mean ${JSON.stringify(closest)}?`;
  if (known.length === 0) return 'Leave it out.';
  const more = known.length > MAX_LISTED ? ` and ${known.length - MAX_LISTED} more` : '';
  return `Known here: ${known.slice(0, MAX_LISTED).join(', ')}${more}.`;
}

/** A name from a caller, shortened for error messages. */
export const quoteName = (sent: string): string => JSON.stringify(sent.slice(0, 100));

const foldName = (name: string): string =>
  name
    .slice(0, MAX_COMPARED_LENGTH)
    .replace(/[@_\s-]/g, '')
    .toLowerCase();

/**
 * Insertions, deletions, substitutions and swaps of neighbors (optimal string alignment distance) between words of up to 128
 * letters; undefined for more than `most`.
 */
export function countEdits(a: string, b: string, most: number): number | undefined {
  let before = new Uint8Array(b.length + 1);
  let last = Uint8Array.from(before, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = new Uint8Array(b.length + 1).fill(i, 0, 1);
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let edits = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) edits = Math.min(edits, (before[j - 2] ?? 0) + 1);
      row[j] = edits;
      least = Math.min(least, edits);
    }
    if (least > most) return undefined; // the edits do not decrease from row to row
    before = last;
    last = row;
  }
  const edits = last[b.length] ?? 0;
  return edits <= most ? edits : undefined;
}
