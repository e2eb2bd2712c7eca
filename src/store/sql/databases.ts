import type { Selectable } from 'kysely';
import { type DatabaseRecord, type DatabaseRepository, StoreError } from '../metadata-store.ts';
import { fold } from './fold.ts';
import { hotQuery, runHot } from './hot-query.ts';
import { inList, pageOf } from './list-page.ts';
import { parsed } from './parsed-json.ts';
import { type Db, flag, type Tables } from './schema.ts';

export type DatabaseStatements = ReturnType<typeof databaseStatements>;

export const databaseStatements = (db: Db) => ({
  get: hotQuery('database-by-id', db.selectFrom('databases').selectAll().where('id', '=', '').compile()),
});

export function databaseRepository(db: Db, statements: DatabaseStatements): DatabaseRepository {
  const present = () => db.selectFrom('databases').selectAll().where('deleted_at', 'is', null);

  return {
    async list(request) {
      const rows = await present()
        .where(inList(request, { name: 'name_key', id: 'id', search: 'name_key' }))
        .orderBy('name_key')
        .orderBy('id')
        .limit(request.limit + 1)
        .execute();
      return pageOf(rows, request.limit, (row) => [row.name_key, row.id], databaseOf);
    },
    async all() {
      const rows = await present().orderBy('name_key').execute();
      return rows.map(databaseOf);
    },
    async get(id) {
      const [row] = await runHot(db, statements.get, [id]);
      return row ? databaseOf(row) : null;
    },
    async byName(name) {
      // the index is on the folded name
      const row = await present().where('name_key', '=', fold(name)).where('name', '=', name).executeTakeFirst();
      return row ? databaseOf(row) : null;
    },
    async insert(database) {
      await db.insertInto('databases').values(rowOf(database)).execute();
    },
    async update(database) {
      const { numUpdatedRows } = await db
        .updateTable('databases')
        .set(rowOf(database))
        .where('id', '=', database.id)
        .where('version', '=', database.version - 1)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw new StoreError('stale', 'The database was changed in the meantime.');
    },
    async countActiveQueries(id) {
      const { count } = await db
        .selectFrom('queries')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('database_id', '=', id)
        .where('status', '=', 'Active')
        .executeTakeFirstOrThrow();
      return count;
    },
  };
}

const databaseOf = (row: Selectable<Tables['databases']>): DatabaseRecord => ({
  id: row.id,
  name: row.name,
  kind: row.kind,
  connection: parsed(row.connection),
  sealedSecrets: row.sealed_secrets,
  settings: parsed(row.settings),
  description: row.description,
  disabled: row.disabled === 1,
  writable: row.writable === 1,
  builtIn: row.built_in === 1,
  version: row.version,
  createdAt: row.created_at,
  deletedAt: row.deleted_at,
});

const rowOf = (database: DatabaseRecord): Selectable<Tables['databases']> => ({
  id: database.id,
  name: database.name,
  name_key: fold(database.name),
  kind: database.kind,
  connection: JSON.stringify(database.connection),
  sealed_secrets: database.sealedSecrets,
  settings: JSON.stringify(database.settings),
  description: database.description,
  disabled: flag(database.disabled),
  writable: flag(database.writable),
  built_in: flag(database.builtIn),
  version: database.version,
  created_at: database.createdAt,
  deleted_at: database.deletedAt,
});
