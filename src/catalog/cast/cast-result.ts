export type CastResult = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly message: string };

export const castSucceeded = (value: string): CastResult => ({ ok: true, value });
export const castFailed = (message: string): CastResult => ({ ok: false, message });

const quotedCharacters = 50;

/** A value as error messages show it: shortened, on one line. */
export function quote(text: string): string {
  const characters = Array.from(text.slice(0, 2 * quotedCharacters + 2));
  const shown = characters.length > quotedCharacters ? `${characters.slice(0, quotedCharacters).join('')}…` : text;
  return `"${shown.replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, '\uFFFD')}"`;
}
