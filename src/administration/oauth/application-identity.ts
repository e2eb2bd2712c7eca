/** Who vouches for the name of an application: an administrator, the host of its metadata document, or nobody. */
export type ApplicationSource = 'registered' | 'document' | 'dynamic';

export const REGISTERED_PREFIX = 'app_';
const MAX_LENGTH = 100;

/**
 * A name that an application claims, as one line of plain text: without controls, without marks that reverse or hide text, without
 * letters that have no ink, without symbols such as check marks and locks, and without double quotation marks, which end it on the
 * consent page.
 */
export function plainName(name: string): string {
  const plain = name
    .replace(/[\p{C}\p{Z}\p{So}\p{Default_Ignorable_Code_Point}]+/gu, ' ')
    .replace(/["\p{Pi}\p{Pf}]/gu, "'")
    .trim();
  const letters = Array.from(plain.slice(0, 2 * (MAX_LENGTH + 1))); // a letter has one or two units
  return letters.length <= MAX_LENGTH ? plain : `${letters.slice(0, MAX_LENGTH - 1).join('')}…`;
}

/** What a client id says about its application. */
export function identityOf(clientId: string): { readonly source: ApplicationSource; readonly documentHost: string | null } {
  if (clientId.startsWith(REGISTERED_PREFIX)) return { source: 'registered', documentHost: null };
  if (URL.canParse(clientId)) return { source: 'document', documentHost: new URL(clientId).host };
  return { source: 'dynamic', documentHost: null };
}
