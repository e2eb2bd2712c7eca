import { sql } from 'kysely';
import type { DataLink, Embed, Share } from '../../../access/share.ts';
import { chartConfigDefaults } from '../../../core/chart-config.ts';
import type { EmbedRepository, ShareRepository } from '../../metadata-store.ts';
import { type Atomically, columnList, countRows, type Db, hasEffect, type RowOf, writeById } from '../db.ts';
import { contains, isText, isWhole, pageOf, readCursor } from '../statements/list-page.ts';
import { searchText } from '../statements/normalize-text.ts';

export function embedRepository(db: Db, atomically: Atomically): EmbedRepository {
  return {
    ...shareRepository(db, atomically, { table: 'embeds', settings: 'chart' }, embedOf),
    async insert({ chart, viewer, open, ...share }) {
      const row = { ...rowOf(share, chart.title), chart: JSON.stringify({ ...chart, viewer, open }) };
      await db.insertInto('embeds').values(row).execute();
    },
    async change({ id, stamp, queryName, chart, viewer, open, days, expiresAt }) {
      // a token that was issued since has another stamp
      const issued = db.updateTable('embeds').where('id', '=', id).where('stamp', '=', stamp);
      const settings = JSON.stringify({ ...chart, viewer, open });
      return hasEffect(issued.set({ chart: settings, searchText: searchText(queryName, chart.title), days, expiresAt }));
    },
  };
}

export function linkRepository(db: Db, atomically: Atomically): ShareRepository<DataLink> {
  return {
    ...shareRepository(db, atomically, { table: 'links', settings: 'settings' }, linkOf),
    async insert({ name, format, open, asIssuer, ...share }) {
      const row = { ...rowOf(share, name), settings: JSON.stringify({ name, format, open, asIssuer }) };
      await db.insertInto('links').values(row).execute();
    },
  };
}

type SharedRow = Omit<RowOf<'links'>, 'searchText'>;

/** What the tables of embeds and links have in common; the other fields are in the column `settings`. */
function shareRepository<S extends Share>(
  db: Db,
  atomically: Atomically,
  { table, settings }: { readonly table: 'embeds' | 'links'; readonly settings: 'chart' | 'settings' },
  shareOf: (row: SharedRow) => S,
): Omit<ShareRepository<S>, 'insert'> {
  const select = () => db.selectFrom(table).select([...columns, sql.ref<string>(settings).as('settings')]);
  return {
    async list({ limit, cursor, search, userId }) {
      let query = select();
      const before = readCursor(cursor, isWhole, isText);
      if (before !== null) query = query.where(sql<boolean>`(created_at, id) < (${before[0]}, ${before[1]})`);
      if (search) query = query.where(contains('search_text', search));
      if (userId !== undefined) query = query.where('userId', '=', userId);
      const rows = await query
        .orderBy('createdAt', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute();
      return pageOf(rows, limit, (row) => [row.createdAt, row.id], shareOf);
    },
    async get(id) {
      const row = await select().where('id', '=', id).executeTakeFirst();
      return row ? shareOf(row) : null;
    },
    countOf: (userId) => countRows(db.selectFrom(table).where('userId', '=', userId)),
    reissue: (id, { stamp, days, issuedAt, expiresAt }) =>
      hasEffect(db.updateTable(table).set({ stamp, days, issuedAt, expiresAt }).where('id', '=', id)),
    delete: (id) => hasEffect(db.deleteFrom(table).where('id', '=', id)),
    async deleteExpiredBefore(time) {
      await db.deleteFrom(table).where('expiresAt', '<', time).execute();
    },
    async keepParameters(id, parameters) {
      const json = JSON.stringify(parameters);
      await db.updateTable(table).set({ parameters: json }).where('id', '=', id).execute();
    },
    addViews: (views) =>
      writeById(atomically, views, (inside, { id, count, at }) =>
        sql`update ${sql.table(table)} set views = views + ${count},
          last_viewed_at = case when coalesce(last_viewed_at, 0) < ${at} then ${at} else last_viewed_at end
          where id = ${id}`.execute(inside),
      ),
  };
}

const columns = columnList('id userId queryName parameters stamp days createdAt issuedAt expiresAt views lastViewedAt');

/** An option may be newer than the embed. */
function embedOf({ settings, ...row }: SharedRow): Embed {
  const { viewer = 'issuer', open = [], ...chart } = JSON.parse(settings);
  return { ...row, parameters: JSON.parse(row.parameters), viewer, open, chart: { ...chartConfigDefaults, ...chart } };
}

const linkOf = ({ settings, ...row }: SharedRow): DataLink => ({
  ...row,
  parameters: JSON.parse(row.parameters),
  ...JSON.parse(settings),
});

const rowOf = (share: Omit<Share, 'open'>, title: string) => ({
  ...share,
  parameters: JSON.stringify(share.parameters),
  searchText: searchText(share.queryName, title),
});
