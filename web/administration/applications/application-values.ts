import type { NewApplication } from '../../app/api-types.ts';

export interface ApplicationValues {
  readonly name: string;
  readonly redirectUris: string; // one per line
  readonly kind: 'public' | 'confidential';
  readonly managed: 'off' | 'all' | 'some';
  readonly queries: readonly string[]; // technical names
}

export const emptyApplication: ApplicationValues = { name: '', redirectUris: '', kind: 'public', managed: 'off', queries: [] };

/** Managed applications always have a secret. */
export function toApplicationBody({ name, redirectUris, kind, managed, queries }: ApplicationValues): NewApplication {
  return {
    name: name.trim(),
    redirectUris: redirectUris
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
    tokenEndpointAuthMethod: kind === 'public' && managed === 'off' ? 'none' : 'client_secret_basic',
    ...(managed === 'off' ? {} : { managed: managed === 'all' ? true : queries }),
  };
}
