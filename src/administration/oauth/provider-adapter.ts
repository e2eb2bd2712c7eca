import { hash } from 'node:crypto';
import type { Adapter, AdapterPayload, errors } from 'oidc-provider';
import { hashSecret } from '../../access/hash-secret.ts';
import { type MetadataStore, type OAuthGrant, StoreError } from '../../store/metadata-store.ts';
import { plainName } from './application-identity.ts';
import type { RefreshTokens } from './refresh-tokens.ts';

export interface AdapterParts {
  readonly store: Pick<MetadataStore, 'oauth'>;
  readonly now: () => number;
  /** The accepted forms of the gateway's address; a grant is for all of them. */
  readonly resources: readonly string[];
  readonly scope: string;
  readonly errors: typeof errors;
  readonly refreshTokens: RefreshTokens;
}

const MAX_CLIENT_BYTES = 8192;
const MAX_DYNAMIC_CLIENTS = 5000;
const MAX_INTERACTIONS = 5000; // anyone can begin one

/** How the authorization server reads and writes its state: in the metadata store, tokens by their hashes. */
export const createAdapter =
  (parts: AdapterParts) =>
  (kind: string): Adapter => {
    switch (kind) {
      case 'Client':
        return { ...unused, ...clientAdapter(parts) };
      case 'Grant':
        return { ...unused, ...grantAdapter(parts) };
      case 'AccessToken':
        return { ...unused, ...tokenAdapter(parts) };
      case 'Session':
        return unused; // users sign in to the web interface; the authorization server keeps no sessions
      case 'RefreshToken':
        return { ...unused, ...refreshTokenAdapter(parts) };
      default:
        return { ...unused, ...artifactAdapter(parts, kind) };
    }
  };

const unused: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
};

function clientAdapter({ store: { oauth }, now, errors: { InvalidClientMetadata } }: AdapterParts): Partial<Adapter> {
  return {
    /** Dynamic registration. The secret is in the response and nowhere else. */
    async upsert(id, { client_secret: secret, ...metadata }) {
      if (JSON.stringify(metadata).length > MAX_CLIENT_BYTES) throw new InvalidClientMetadata('client metadata is too large');
      const { client_name: name, redirect_uris: redirects = [] } = metadata;
      await oauth.insertClient({
        id,
        source: 'dynamic',
        name: plainName(name ?? '') || plainName(redirects[0] ?? ''),
        metadata,
        secretHash: secret === undefined ? null : hashSecret(secret),
        managed: null,
        createdAt: now(),
        lastUsedAt: now(),
      });
      if (await oauth.limitDynamic(MAX_DYNAMIC_CLIENTS, id)) return;
      await oauth.deleteClient(id);
      throw new InvalidClientMetadata('too many applications are registered');
    },
    async find(id) {
      const client = await oauth.getClient(id);
      if (client === null) return undefined;
      return { ...client.metadata, client_id: id, ...(client.secretHash === null ? {} : { client_secret: client.secretHash }) };
    },
  };
}

const secondsOf = (time: number): number => Math.floor(time / 1000);

function grantAdapter({ store: { oauth }, resources, scope }: AdapterParts): Partial<Adapter> {
  const payloadOf = ({ id, userId, clientId, createdAt, expiresAt }: OAuthGrant): AdapterPayload => ({
    kind: 'Grant',
    jti: id,
    accountId: userId,
    clientId,
    resources: Object.fromEntries(resources.map((resource) => [resource, scope])),
    iat: secondsOf(createdAt),
    exp: secondsOf(expiresAt),
  });
  return {
    async find(id) {
      const grant = await oauth.getGrant(id);
      return grant === null ? undefined : payloadOf(grant);
    },
    async destroy(id) {
      await oauth.deleteGrant(id);
    },
  };
}

const tokenPayload = (
  kind: string,
  jti: string,
  { id: grantId, userId: accountId, clientId }: OAuthGrant,
  { createdAt, expiresAt }: Pick<OAuthGrant, 'createdAt' | 'expiresAt'>,
): AdapterPayload => ({ kind, jti, grantId, accountId, clientId, iat: secondsOf(createdAt), exp: secondsOf(expiresAt) });

/** The access may end while a token is being issued: then the grant of the token no longer exists. */
async function refuseWithoutGrant({ errors: { InvalidGrant } }: AdapterParts, insertion: Promise<void>): Promise<void> {
  try {
    await insertion;
  } catch (error) {
    throw error instanceof StoreError && error.kind === 'stale' ? new InvalidGrant('the access has ended') : error;
  }
}

function tokenAdapter(parts: AdapterParts): Partial<Adapter> {
  const { oauth } = parts.store;
  const { now, scope, resources } = parts;
  return {
    async upsert(id, { grantId = '' }, expiresIn = 0) {
      const times = { createdAt: now(), expiresAt: now() + expiresIn * 1000 };
      await refuseWithoutGrant(parts, oauth.insertToken({ hash: hashSecret(id), grantId, ...times }));
    },
    async find(id) {
      const token = await oauth.getToken(hashSecret(id));
      if (token === null) return undefined;
      return { ...tokenPayload('AccessToken', id, token.grant, token), scope, aud: resources[0] };
    },
    destroy: (id) => oauth.deleteToken(hashSecret(id)),
    revokeByGrantId: (grantId) => oauth.deleteTokensOf(grantId),
  };
}

function artifactAdapter(parts: AdapterParts, kind: string): Partial<Adapter> {
  const { oauth } = parts.store;
  const { now } = parts;
  const find = async (id: string): Promise<AdapterPayload | undefined> => {
    const artifact = await oauth.getArtifact(kind, nameOf(id));
    if (artifact === null) return undefined;
    const { consumedAt, payload } = artifact;
    return { ...payload, jti: id, ...(consumedAt === null ? {} : { consumed: secondsOf(consumedAt) }) };
  };
  return {
    find,
    /** Without its id, which is the token itself. */
    async upsert(id, { jti: _id, ...payload }, expiresIn = 0) {
      const { grantId = null } = payload;
      // a sign-in names the grant before it exists
      const ofGrant = kind === 'Interaction' ? null : grantId;
      const times = { consumedAt: null, expiresAt: now() + expiresIn * 1000 };
      const artifact = { kind, hash: nameOf(id), grantId: ofGrant, payload: { ...payload }, ...times };
      await refuseWithoutGrant(parts, oauth.putArtifact(artifact));
      if (kind === 'Interaction') await oauth.limitArtifacts(kind, MAX_INTERACTIONS);
    },
    async consume(id) {
      if (!(await oauth.consumeArtifact(kind, nameOf(id), now()))) await refuseSecondUse(parts, (await find(id))?.grantId);
    },
    async destroy(id) {
      await oauth.deleteArtifact(kind, nameOf(id));
    },
    revokeByGrantId: (grantId) => oauth.deleteArtifactsOf(kind, grantId),
  };
}

/** A used token is deleted. Its signature and its grant tell that it was used, not invented. */
function refreshTokenAdapter(parts: AdapterParts): Partial<Adapter> {
  const { refreshTokens, scope } = parts;
  const { oauth } = parts.store;
  const kind = 'RefreshToken';
  const stored = artifactAdapter(parts, kind);
  return {
    ...stored,
    async find(id) {
      const token = await stored.find?.(id);
      const grantId = token === undefined ? refreshTokens.grantIdOf(id) : null;
      const grant = grantId === null ? null : await oauth.getGrant(grantId);
      if (grant === null) return token ?? undefined;
      return { ...tokenPayload(kind, id, grant, grant), scope, consumed: true };
    },
    async consume(id) {
      if (!(await oauth.deleteArtifact(kind, nameOf(id)))) await refuseSecondUse(parts, refreshTokens.grantIdOf(id));
    },
  };
}

const nameOf = (id: string): string => hash('sha256', id);

/** Records that something happened. False if it was recorded before, by any process. */
export const recordOnce = (
  { oauth }: Pick<MetadataStore, 'oauth'>,
  kind: string,
  id: string,
  expiresAt: number,
): Promise<boolean> => oauth.addArtifact({ kind, hash: nameOf(id), grantId: null, payload: {}, consumedAt: null, expiresAt });

/** A second use ends the access, also if two requests use a token at the same time, perhaps in two processes. */
async function refuseSecondUse({ store, errors }: AdapterParts, grantId: string | null | undefined): Promise<never> {
  if (grantId != null) await store.oauth.deleteGrant(grantId);
  throw new errors.InvalidGrant('already used');
}
