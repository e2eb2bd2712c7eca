import { apiKeyState } from '../../access/api-key.ts';
import type { Means, Principal } from '../../access/principal.ts';
import type { MetadataStore } from '../../store/metadata-store.ts';
import { principalOf } from './authenticate.ts';

/** The user who issued something that others use without a credential, such as a link. */
export interface Issuer {
  readonly userId: string;
  readonly keyId: string | null; // the API key that was used
}

/** The issuer with its current rights; null if the account or the key is no longer valid. */
export type FindIssuer = (issuer: Issuer) => Promise<Principal | null>;

export function createFindIssuer(store: Pick<MetadataStore, 'principals' | 'apiKeys'>, now: () => number): FindIssuer {
  return async ({ userId, keyId }) => {
    const standing = await store.principals.byUserId(userId);
    const means = keyId === null ? basic : await byKey(store, userId, keyId, now());
    if (standing === null || means === null) return null;
    const principal = principalOf(standing, means, now());
    return principal.ok ? principal.value : null;
  };
}

const basic: Means = { kind: 'basic' };

async function byKey(store: Pick<MetadataStore, 'apiKeys'>, userId: string, keyId: string, now: number): Promise<Means | null> {
  const key = await store.apiKeys.get(keyId);
  if (key === null || key.userId !== userId || apiKeyState(key, now) !== 'active') return null;
  return { kind: 'key', keyId, keyName: key.name, expiresAt: key.expiresAt, queries: key.queries, limits: key.limits };
}
