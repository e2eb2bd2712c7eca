/**
 * `QD_<query name>_<database name>`: the name that callers use. Each part has a letter or a digit. Accents are removed from Latin
 * letters; letters without a decomposition (ß, ø, ł) are kept.
 */
export const technicalName = (prefix: string, queryName: string, databaseName: string): string =>
  [prefix, queryName, databaseName].map(namePart).join('_');

export function namePart(text: string): string {
  const withoutLatinAccents = text
    .normalize('NFD')
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFC');
  // marks belong to the preceding letter: Devanagari vowels, Arabic harakat
  const runs = withoutLatinAccents.match(/(?:\p{L}\p{M}*|\p{Nd})+/gu) ?? [];
  return runs.join('_');
}
