/**
 * `QD_<query name>_<database name>`: the name callers use. Null where a part has no letter or digit at all.
 * Letters without a decomposition (ß, ø, ł) are letters, not accents, and stay.
 */
export function technicalName(prefix: string, queryName: string, databaseName: string): string | null {
  const parts = [prefix, queryName, databaseName].map(namePart);
  return parts.every((part) => part !== '') ? parts.join('_') : null;
}

function namePart(text: string): string {
  const withoutLatinAccents = text
    .normalize('NFD')
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFC');
  // marks belong to the letter before them: Devanagari vowels, Arabic harakat
  const runs = withoutLatinAccents.match(/(?:\p{L}\p{M}*|\p{Nd})+/gu) ?? [];
  return runs.join('_');
}
