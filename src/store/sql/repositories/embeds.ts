import { sql } from 'kysely';
import type { Embed } from '../../../access/embed.ts';
import { chartConfigDefaults } from '../../../core/chart-config.ts';
import type { EmbedRepository } from '../../metadata-store.ts';
import { columnList, type Atomically, type Db, rowCount, type RowOf, sortById } from '../db.ts';
import { contains, isText, isWhole, pageOf, readCursor } from '../statements/list-page.ts';
import { searchText } from '../statements/normalize-text.ts';

export function embedRepository(db: Db, atomically: Atomically): EmbedRepository {
  return {
    async list({ limit, cursor, search, userId }) {
      let query = db.selectFrom('embeds').select(columns);
      const before = readCursor(cursor, isWhole, isText);
      if (before !== null) query = query.where(sql<boolean>`(created_at, id) < (${before[0]}, ${before[1]})`);
      if (search) query = query.where(contains('search_text', search));
      if (userId !== undefined) query = query.where('userId', '=', userId);
      const rows = await query
        .orderBy('createdAt', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute();
      return pageOf(rows, limit, (row) => [row.createdAt, row.id], embedOf);
    },
    async get(id) {
      const row = await db.selectFrom('embeds').select(columns).where('id', '=', id).executeTakeFirst();
      return row ? embedOf(row) : null;
    },
    async countOf(userId) {
      const ofUser = db.selectFrom('embeds').where('userId', '=', userId);
      const { count } = await ofUser.select(rowCount).executeTakeFirstOrThrow();
      return count;
    },
    async insert(embed) {
      await db.insertInto('embeds').values(rowOf(embed)).execute();
    },
    async reissue(id, { stamp, days, issuedAt, expiresAt }) {
      const { numUpdatedRows } = await db
        .updateTable('embeds')
        .set({ stamp, days, issuedAt, expiresAt })
        .where('id', '=', id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async change({ id, stamp, queryName, chart, days, expiresAt }) {
      const { numUpdatedRows } = await db
        .updateTable('embeds')
        .set({ chart: JSON.stringify(chart), searchText: searchText(queryName, chart.title), days, expiresAt })
        .where('id', '=', id)
        .where('stamp', '=', stamp) // of another token since: changed in the meantime
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async delete(id) {
      const { numDeletedRows } = await db.deleteFrom('embeds').where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async deleteExpiredBefore(time) {
      await db.deleteFrom('embeds').where('expiresAt', '<', time).execute();
    },
    async keepParameters(id, parameters) {
      const json = JSON.stringify(parameters);
      await db.updateTable('embeds').set({ parameters: json }).where('id', '=', id).execute();
    },
    async addViews(views) {
      if (views.length === 0) return;
      await atomically(async (inside) => {
        for (const { id, count, at } of sortById(views)) {
          await sql`update embeds set views = views + ${count},
            last_viewed_at = case when coalesce(last_viewed_at, 0) < ${at} then ${at} else last_viewed_at end
            where id = ${id}`.execute(inside);
        }
      });
    },
  };
}

const columns = columnList('id userId queryName parameters chart stamp days createdAt issuedAt expiresAt views lastViewedAt');

const embedOf = (row: Pick<RowOf<'embeds'>, (typeof columns)[number]>): Embed => ({
  ...row,
  parameters: JSON.parse(row.parameters),
  chart: { ...chartConfigDefaults, ...JSON.parse(row.chart) }, // an option may be newer than the embed
});

const rowOf = (embed: Embed): RowOf<'embeds'> => ({
  ...embed,
  parameters: JSON.stringify(embed.parameters),
  chart: JSON.stringify(embed.chart),
  searchText: searchText(embed.queryName, embed.chart.title),
});
