import { type EmbedTokens, embedExpired } from '../../access/embeds/embed-token.ts';
import { failed, succeeded } from '../../core/errors.ts';
import type { MetadataStore } from '../../store/metadata-store.ts';
import type { Authenticate, FindIssuer } from './authenticate.ts';

export interface AuthenticateEmbedParts {
  readonly tokens: EmbedTokens;
  readonly store: Pick<MetadataStore, 'embeds'>;
  readonly findIssuer: FindIssuer;
  readonly now: () => number;
}

/**
 * An embed token as a credential: the issuer with its current rights, restricted to one query. The embed is read on every view, so a token
 * that was regenerated, revoked or has expired is rejected by every process.
 */
export function createAuthenticateEmbed({ tokens, store, findIssuer, now }: AuthenticateEmbedParts): Authenticate {
  return async (credential) => {
    if (credential.kind !== 'embed') return failed({ kind: 'CredentialMissing' });
    const signed = tokens.read(credential.token);
    if (signed === null) return failed({ kind: 'CredentialInvalid' });
    const embed = await store.embeds.get(signed.id);
    if (embed === null) return failed({ kind: 'CredentialRevoked' });
    // not bound to the key that it was issued with: keys are replaced every few weeks, embedded charts are not
    const issuer = await findIssuer({ userId: embed.userId, keyId: null });
    const owner = issuer === null ? {} : { owner: { userId: issuer.userId, username: issuer.username, keyName: null } };
    if (embed.stamp !== signed.stamp) return failed({ kind: 'CredentialRevoked', ...owner });
    if (embedExpired(embed, now())) return failed({ kind: 'CredentialExpired', ...owner });
    if (issuer === null) return failed({ kind: 'QueryNotAccessible' });
    const permissions = new Set([...issuer.permissions].filter((each) => each === 'queries.run'));
    return succeeded({ ...issuer, permissions, authentication: { kind: 'embed', embed } });
  };
}
