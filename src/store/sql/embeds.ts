import { type Selectable, sql } from 'kysely';
import type { Embed } from '../../access/embeds/embed-token.ts';
import { chartConfigDefaults } from '../../charts/chart-config.ts';
import type { EmbedRepository } from '../metadata-store.ts';
import type { Atomically } from './atomically.ts';
import { searchText } from './fold.ts';
import { contains, isText, isWhole, pageOf, readCursor } from './list-page.ts';
import { type Db, flag, type Tables } from './schema.ts';

export function embedRepository(db: Db, atomically: Atomically): EmbedRepository {
  return {
    async list({ limit, cursor, search, userId }) {
      let query = db.selectFrom('embeds').selectAll();
      const before = readCursor(cursor, isWhole, isText);
      if (before !== null) query = query.where(sql<boolean>`(created_at, id) < (${before[0]}, ${before[1]})`);
      if (search) query = query.where(contains('search_text', search));
      if (userId !== undefined) query = query.where('user_id', '=', userId);
      const rows = await query
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute();
      return pageOf(rows, limit, (row) => [row.created_at, row.id], embedOf);
    },
    async get(id) {
      const row = await db.selectFrom('embeds').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? embedOf(row) : null;
    },
    async countOf(userId) {
      const { count } = await db
        .selectFrom('embeds')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async insert(embed) {
      await db.insertInto('embeds').values(rowOf(embed)).execute();
    },
    async reissue(id, { stamp, days, issuedAt, expiresAt }) {
      const { numUpdatedRows } = await db
        .updateTable('embeds')
        .set({ stamp, days, issued_at: issuedAt, expires_at: expiresAt })
        .where('id', '=', id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async delete(id) {
      const { numDeletedRows } = await db.deleteFrom('embeds').where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async deleteExpiredBefore(time) {
      await db.deleteFrom('embeds').where('expires_at', '<', time).execute();
    },
    async keepParameters(id, parameters) {
      await db
        .updateTable('embeds')
        .set({ parameters: JSON.stringify(parameters) })
        .where('id', '=', id)
        .execute();
    },
    async addViews(views) {
      if (views.length === 0) return;
      const inOrder = views.toSorted((a, b) => flag(a.id > b.id) - flag(a.id < b.id)); // two replicas never wait for each other in a circle
      await atomically(async (inside) => {
        for (const { id, count, at } of inOrder) {
          await inside
            .updateTable('embeds')
            .set({
              views: sql<number>`views + ${count}`,
              last_viewed_at: sql<number>`case when coalesce(last_viewed_at, 0) < ${at} then ${at} else last_viewed_at end`,
            })
            .where('id', '=', id)
            .execute();
        }
      });
    },
  };
}

const embedOf = (row: Selectable<Tables['embeds']>): Embed => ({
  id: row.id,
  userId: row.user_id,
  queryName: row.query_name,
  parameters: JSON.parse(row.parameters),
  chart: { ...chartConfigDefaults, ...JSON.parse(row.chart) }, // an option may be younger than the embed
  stamp: row.stamp,
  days: row.days,
  createdAt: row.created_at,
  issuedAt: row.issued_at,
  expiresAt: row.expires_at,
  views: row.views,
  lastViewedAt: row.last_viewed_at,
});

const rowOf = (embed: Embed): Selectable<Tables['embeds']> => ({
  id: embed.id,
  user_id: embed.userId,
  query_name: embed.queryName,
  parameters: JSON.stringify(embed.parameters),
  chart: JSON.stringify(embed.chart),
  search_text: searchText(embed.queryName, embed.chart.title),
  stamp: embed.stamp,
  days: embed.days,
  created_at: embed.createdAt,
  issued_at: embed.issuedAt,
  expires_at: embed.expiresAt,
  views: embed.views,
  last_viewed_at: embed.lastViewedAt,
});
