import { sql } from 'kysely';
import type { OAuthClient, OAuthGrant, OAuthRepository } from '../../metadata-store.ts';
import { type Atomically, columnList, countRows, type Db, hasEffect, noteLastUses, type RowOf, toFlag } from '../db.ts';

export function oauthRepository(db: Db, atomically: Atomically): OAuthRepository {
  return {
    ...clientsIn(db, atomically),
    ...grantsIn(db, atomically),
    ...tokensIn(db),
    ...artifactsIn(db),
    ...sweepIn(db, atomically),
  };
}

const clientColumns = columnList('id source name metadata secretHash managed createdAt lastUsedAt');

function clientsIn(db: Db, atomically: Atomically) {
  const dynamic = db.selectFrom('oauth_clients').where('source', '=', 'dynamic');
  const granted = db.selectFrom('oauth_grants').select('clientId');
  return {
    async getClient(id) {
      const row = await db.selectFrom('oauth_clients').select(clientColumns).where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : clientOf(row);
    },
    async listRegistered() {
      const registered = db.selectFrom('oauth_clients').select(clientColumns).where('source', '=', 'registered');
      return (await registered.orderBy('createdAt', 'desc').orderBy('id').execute()).map(clientOf);
    },
    async insertClient({ metadata, managed, ...client }) {
      const row = { ...client, metadata: JSON.stringify(metadata), managed: managed === null ? null : JSON.stringify(managed) };
      await db.insertInto('oauth_clients').values(row).execute();
    },
    async limitDynamic(most, kept) {
      const count = await countRows(dynamic);
      if (count <= most) return true;
      const unused = dynamic.select('id').where('id', 'not in', granted).where('id', '!=', kept);
      const oldest = unused
        .orderBy(sql`case when last_used_at > created_at then 1 else 0 end`)
        .orderBy('lastUsedAt')
        .orderBy('id')
        .limit(count - most);
      const { numDeletedRows } = await db.deleteFrom('oauth_clients').where('id', 'in', oldest).executeTakeFirst();
      return count - Number(numDeletedRows) <= most;
    },
    async touchClient(id, at) {
      await db.updateTable('oauth_clients').set({ lastUsedAt: at }).where('id', '=', id).execute();
    },
    deleteClient: (id) =>
      atomically(async (inside) => {
        await inside.deleteFrom('oauth_grants').where('clientId', '=', id).execute();
        return hasEffect(inside.deleteFrom('oauth_clients').where('id', '=', id));
      }),
  } satisfies Partial<OAuthRepository>;
}

const clientOf = ({ metadata, managed, ...row }: RowOf<'oauth_clients'>): OAuthClient => ({
  ...row,
  metadata: JSON.parse(metadata),
  managed: managed === null ? null : JSON.parse(managed),
});

/** Qualified, because the statement of authentication joins tables. */
export const grantColumns = columnList('id userId clientId application queries isManaged createdAt lastUsedAt expiresAt').map(
  (column) => `oauth_grants.${column}` as const,
);

export const grantOf = (row: RowOf<'oauth_grants'>): OAuthGrant => ({
  id: row.id,
  userId: row.userId,
  clientId: row.clientId,
  application: row.application,
  queries: row.queries === null ? null : JSON.parse(row.queries),
  isManaged: row.isManaged === 1,
  createdAt: row.createdAt,
  lastUsedAt: row.lastUsedAt,
  expiresAt: row.expiresAt,
});

function grantsIn(db: Db, atomically: Atomically) {
  const grants = db.selectFrom('oauth_grants').select(grantColumns);
  return {
    async insertGrant({ queries, isManaged, ...grant }) {
      const row = { ...grant, queries: queries === null ? null : JSON.stringify(queries), isManaged: toFlag(isManaged) };
      await db.insertInto('oauth_grants').values(row).execute();
    },
    async getGrant(id) {
      const row = await grants.where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : grantOf(row);
    },
    async listGrants(userId, now) {
      const valid = grants.where('userId', '=', userId).where('expiresAt', '>', now);
      return (await valid.orderBy('createdAt', 'desc').orderBy('id').execute()).map(grantOf);
    },
    async countPeople(now) {
      const people = sql<number>`count(distinct user_id)`.as('people');
      const valid = db.selectFrom('oauth_grants').select(['clientId', people]).where('expiresAt', '>', now);
      return new Map((await valid.groupBy('clientId').execute()).map((row) => [row.clientId, row.people]));
    },
    async hasGrants(clientId) {
      const grant = db.selectFrom('oauth_grants').select('id').where('clientId', '=', clientId).limit(1);
      return (await grant.executeTakeFirst()) !== undefined;
    },
    async prolongGrant(id, until) {
      const expiresAt = sql<number>`case when expires_at < ${until} then ${until} else expires_at end`;
      return hasEffect(db.updateTable('oauth_grants').set({ expiresAt }).where('id', '=', id));
    },
    deleteGrant: (id) => hasEffect(db.deleteFrom('oauth_grants').where('id', '=', id)),
    async deleteGrantsOf(userId) {
      await db.deleteFrom('oauth_grants').where('userId', '=', userId).execute();
    },
    touchGrants: (uses) => noteLastUses(atomically, 'oauth_grants', uses),
  } satisfies Partial<OAuthRepository>;
}

function tokensIn(db: Db) {
  return {
    async insertToken(token) {
      await db.insertInto('oauth_tokens').values(token).execute();
    },
    async getToken(hash) {
      const row = await db
        .selectFrom('oauth_tokens')
        .innerJoin('oauth_grants', 'oauth_grants.id', 'oauth_tokens.grantId')
        .select(grantColumns)
        .select(['oauth_tokens.createdAt as tokenCreatedAt', 'oauth_tokens.expiresAt as tokenExpiresAt'])
        .where('oauth_tokens.hash', '=', hash)
        .executeTakeFirst();
      if (row === undefined) return null;
      const grant = grantOf(row);
      return { hash, grantId: grant.id, grant, createdAt: row.tokenCreatedAt, expiresAt: row.tokenExpiresAt };
    },
    async deleteToken(hash) {
      await db.deleteFrom('oauth_tokens').where('hash', '=', hash).execute();
    },
    async deleteTokensOf(grantId) {
      await db.deleteFrom('oauth_tokens').where('grantId', '=', grantId).execute();
    },
  } satisfies Partial<OAuthRepository>;
}

function artifactsIn(db: Db) {
  type Artifact = Parameters<OAuthRepository['putArtifact']>[0];
  const rowOf = ({ payload, ...artifact }: Artifact) => ({ ...artifact, payload: JSON.stringify(payload) });
  return {
    async putArtifact(artifact) {
      const { kind: _kind, hash: _hash, ...changed } = rowOf(artifact);
      const insertion = db.insertInto('oauth_artifacts').values(rowOf(artifact));
      await insertion.onConflict((conflict) => conflict.columns(['kind', 'hash']).doUpdateSet(changed)).execute();
    },
    async addArtifact(artifact) {
      const insertion = db.insertInto('oauth_artifacts').values(rowOf(artifact));
      const added = insertion.onConflict((conflict) => conflict.columns(['kind', 'hash']).doNothing()).returning('hash');
      return (await added.executeTakeFirst()) !== undefined;
    },
    async getArtifact(kind, hash) {
      const columns = columnList('kind hash grantId payload consumedAt expiresAt');
      const found = db.selectFrom('oauth_artifacts').select(columns).where('kind', '=', kind).where('hash', '=', hash);
      const row = await found.executeTakeFirst();
      return row === undefined ? null : { ...row, payload: JSON.parse(row.payload) };
    },
    async consumeArtifact(kind, hash, at) {
      const artifact = db.updateTable('oauth_artifacts').where('kind', '=', kind).where('hash', '=', hash);
      return hasEffect(artifact.where('consumedAt', 'is', null).set({ consumedAt: at }));
    },
    deleteArtifact: (kind, hash) => hasEffect(db.deleteFrom('oauth_artifacts').where('kind', '=', kind).where('hash', '=', hash)),
    async deleteArtifactsOf(kind, grantId) {
      await db.deleteFrom('oauth_artifacts').where('kind', '=', kind).where('grantId', '=', grantId).execute();
    },
    async limitArtifacts(kind, most) {
      const ofKind = db.selectFrom('oauth_artifacts').where('kind', '=', kind);
      const count = await countRows(ofKind);
      if (count <= most) return;
      const first = ofKind
        .select('hash')
        .orderBy('expiresAt')
        .orderBy('hash')
        .limit(count - most);
      await db.deleteFrom('oauth_artifacts').where('kind', '=', kind).where('hash', 'in', first).execute();
    },
  } satisfies Partial<OAuthRepository>;
}

function sweepIn(db: Db, atomically: Atomically) {
  return {
    async sweep({ now, unusedSince }) {
      for (const table of ['oauth_artifacts', 'oauth_tokens', 'oauth_grants'] as const) {
        await db.deleteFrom(table).where('expiresAt', '<=', now).execute();
      }
      await atomically(async (inside) => {
        const unused = inside.selectFrom('oauth_clients').select('id').where('source', '=', 'dynamic');
        const old = unused.where('lastUsedAt', '<', unusedSince);
        await inside.deleteFrom('oauth_grants').where('clientId', 'in', old).execute();
        await inside.deleteFrom('oauth_clients').where('id', 'in', old).execute();
      });
    },
  } satisfies Partial<OAuthRepository>;
}
