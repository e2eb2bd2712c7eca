/**
 * `QD_<query name>_<database name>`: the name that callers use. Null if a part has no letter or digit. Accents are
 * removed from Latin letters; letters without a decomposition (ß, ø, ł) are kept.
 */
export function technicalName(prefix: string, queryName: string, databaseName: string): string | null {
  const parts = [prefix, queryName, databaseName].map(namePart);
  return parts.every((part) => part !== '') ? parts.join('_') : null;
}

export function namePart(text: string): string {
  const withoutLatinAccents = text
    .normalize('NFD')
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFC');
  // marks belong to the preceding letter: Devanagari vowels, Arabic harakat
  const runs = withoutLatinAccents.match(/(?:\p{L}\p{M}*|\p{Nd})+/gu) ?? [];
  return runs.join('_');
}
