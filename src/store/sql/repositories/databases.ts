import { type DatabaseRecord, type DatabaseRepository, StoreError } from '../../metadata-store.ts';
import { columnList, countRows, type Db, prepareQuery, type RowOf, run, toFlag } from '../db.ts';
import { listCondition, pageOf } from '../statements/list-page.ts';
import { normalizeText } from '../statements/normalize-text.ts';

export const databaseStatements = (db: Db) => ({
  get: prepareQuery('database-by-id', db.selectFrom('databases').select(columns).where('id', '=', '')),
});

export function databaseRepository(db: Db, statements: ReturnType<typeof databaseStatements>): DatabaseRepository {
  const selectPresent = () => db.selectFrom('databases').select(columns).where('deletedAt', 'is', null);

  return {
    async list(request) {
      const rows = await selectPresent()
        .where(listCondition(request, 'name_key'))
        .orderBy('nameKey')
        .orderBy('id')
        .limit(request.limit + 1)
        .execute();
      return pageOf(rows, request.limit, (row) => [row.nameKey, row.id], databaseOf);
    },
    async listAll() {
      const rows = await selectPresent().orderBy('nameKey').execute();
      return rows.map(databaseOf);
    },
    async get(id) {
      const [row] = await run(db, statements.get, id);
      return row ? databaseOf(row) : null;
    },
    async byName(name) {
      // the index is on the normalized name
      const row = await selectPresent().where('nameKey', '=', normalizeText(name)).where('name', '=', name).executeTakeFirst();
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
    countActiveQueries: (id) => countRows(db.selectFrom('queries').where('databaseId', '=', id).where('status', '=', 'Active')),
    async readLastTests() {
      const rows = await db.selectFrom('database_tests').selectAll().execute();
      return new Map(rows.map(({ databaseId, at, problem }) => [databaseId, { at, problem }]));
    },
    async noteTest(databaseId, { at, problem }) {
      await db
        .insertInto('database_tests')
        .values({ databaseId, at, problem })
        .onConflict((conflict) => conflict.column('databaseId').doUpdateSet({ at, problem }))
        .execute();
    },
    async forgetTest(id) {
      await db.deleteFrom('database_tests').where('databaseId', '=', id).execute();
    },
  };
}

const columns = columnList(
  'id name kind connection sealedSecrets settings description disabled writable builtIn version createdAt deletedAt nameKey',
);

const databaseOf = ({ nameKey, ...row }: RowOf<'databases'>): DatabaseRecord => ({
  ...row,
  connection: JSON.parse(row.connection),
  settings: JSON.parse(row.settings),
  disabled: row.disabled === 1,
  writable: row.writable === 1,
  builtIn: row.builtIn === 1,
});

const rowOf = (database: DatabaseRecord): RowOf<'databases'> => ({
  ...database,
  connection: JSON.stringify(database.connection),
  settings: JSON.stringify(database.settings),
  disabled: toFlag(database.disabled),
  writable: toFlag(database.writable),
  builtIn: toFlag(database.builtIn),
  nameKey: normalizeText(database.name),
});
