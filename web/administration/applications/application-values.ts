import type { NewApplication } from '../../app/api-types.ts';
import { changeFields } from '../../components/fields/field-errors.ts';

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

/** Names the addresses in the errors of a request, because they share a field. */
export function withLines(error: unknown, redirectUris: readonly string[]): unknown {
  return changeFields(error, (each) => {
    const index = /^redirectUris\.(\d+)$/.exec(each.field)?.[1];
    if (index === undefined) return each;
    return { ...each, field: 'redirectUris', message: `${redirectUris[Number(index)] ?? ''}: ${each.message}` };
  });
}
