import { keyFromVariable } from '../components/copy/curl.ts';

/** The credential of a call. */
export interface Credential {
  readonly kind: 'key' | 'basic';
  readonly key: string;
  readonly username: string;
  readonly password: string;
}

export const noCredential: Credential = { kind: 'key', key: '', username: '', password: '' };

const MASK = '••••••••';

/** How a snippet shows the secret: as typed, masked, or as a placeholder. */
export type Appearance = 'real' | 'masked' | 'placeholder';

export const isEntered = ({ kind, key, username, password }: Credential): boolean =>
  kind === 'key' ? key !== '' : username !== '' || password !== '';

/** Whether a secret was entered. */
export const hasSecret = ({ kind, key, password }: Credential): boolean => (kind === 'key' ? key : password) !== '';

export function credentialHeaders(credential: Credential, appearance: Appearance): Readonly<Record<string, string>> {
  const isShown = appearance !== 'placeholder' && hasSecret(credential);
  if (credential.kind === 'key') {
    if (!isShown) return { 'X-API-Key': keyFromVariable };
    return { 'X-API-Key': appearance === 'real' ? credential.key : MASK };
  }
  if (!isShown) return { Authorization: 'Basic <base64(username:password)>' };
  return { Authorization: `Basic ${appearance === 'real' ? base64(`${credential.username}:${credential.password}`) : MASK}` };
}

/** The errors by field. An empty credential is valid: the call then uses the session. */
export function credentialProblems(credential: Credential): Readonly<Record<string, string>> {
  if (!isEntered(credential)) return {};
  if (credential.kind === 'key')
    return isHeaderText(credential.key) ? {} : { key: 'An API key cannot contain these characters.' };
  return credential.username === '' ? { username: 'Enter the user name.' } : {};
}

// oxlint-disable-next-line no-control-regex -- not allowed in headers
const isHeaderText = (text: string): boolean => /^[^\x00-\x1f\x7f-\uffff]+$/.test(text);

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
