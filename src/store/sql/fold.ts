/** What names are compared, sorted and searched by, where case is of no matter. */
export const fold = (text: string): string => text.normalize('NFKC').toLowerCase();

export const searchText = (...parts: readonly string[]): string => fold(parts.join('\n'));
