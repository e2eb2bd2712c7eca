import { keyFromVariable } from '../components/copy/curl.ts';

/** What a call shows of who makes it. */
export interface Credential {
  readonly kind: 'key' | 'basic';
  readonly key: string;
  readonly username: string;
  readonly password: string;
}

export const noCredential: Credential = { kind: 'key', key: '', username: '', password: '' };

const MASK = '••••••••';

/** How a typed secret appears: as it is, hidden from those who look on, or as a word in its place. */
export type Appearance = 'real' | 'masked' | 'placeholder';

export const isEntered = ({ kind, key, username, password }: Credential): boolean =>
  kind === 'key' ? key !== '' : username !== '' || password !== '';

/** Whether there is something that should not be seen. */
export const hasSecret = ({ kind, key, password }: Credential): boolean => (kind === 'key' ? key : password) !== '';

export function credentialHeaders(credential: Credential, appearance: Appearance): Readonly<Record<string, string>> {
  const isShown = appearance !== 'placeholder' && hasSecret(credential);
  if (credential.kind === 'key') {
    if (!hasSecret(credential)) return { 'X-API-Key': '<API_KEY>' };
    if (!isShown) return { 'X-API-Key': keyFromVariable };
    return { 'X-API-Key': appearance === 'real' ? credential.key : MASK };
  }
  if (!isShown) return { Authorization: 'Basic <base64(username:password)>' };
  return { Authorization: `Basic ${appearance === 'real' ? base64(`${credential.username}:${credential.password}`) : MASK}` };
}

/** What must be typed before a call can be made, by field. An untouched credential is no mistake: the session then serves. */
export function credentialProblems(credential: Credential): Readonly<Record<string, string>> {
  if (!isEntered(credential)) return {};
  if (credential.kind === 'key') return isHeaderText(credential.key) ? {} : { key: 'An API key has no such characters.' };
  return credential.username === '' ? { username: 'Whose password is it?' } : {};
}

// oxlint-disable-next-line no-control-regex -- headers cannot carry them
const isHeaderText = (text: string): boolean => /^[^\x00-\x1f\x7f-\uffff]+$/.test(text);

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
