import { sql } from 'kysely';
import type { CopiedRow, MetadataCopy } from '../metadata-copy.ts';
import { StoreError } from '../metadata-store.ts';
import { addMonths } from './audit-partitions.ts';
import { migrations } from './migrations/index.ts';
import type { SqlKind } from './migrations/migration.ts';
import type { Db, Tables } from './schema.ts';

const ROWS_AT_A_TIME = 500; // with 22 columns, well below the parameter limits of both databases

/**
 * The primary key of every table, referenced tables first, except `migrations`, `executions`, `leases` and `guesses`, which belong to
 * the running service, `catalog_generation` and `query_changes`, which triggers write, and `audit_blocks`, which is derived from `audit`.
 */
const primaryKeys = {
  users: ['id'],
  roles: ['id'],
  user_roles: ['user_id', 'role_id'],
  api_keys: ['id'],
  api_key_rows: ['key_id'],
  sessions: ['hash'],
  databases: ['id'],
  database_tests: ['database_id'],
  queries: ['id'],
  query_versions: ['query_id', 'version'],
  query_roles: ['query_id', 'stage', 'role_id'],
  query_tags: ['query_id', 'tag_key'],
  favorites: ['user_id', 'query_id'],
  query_uses: ['user_id', 'query_id'],
  query_runs: ['query_id'],
  embeds: ['id'],
  settings: ['key'],
  audit: ['seq'],
} as const satisfies Partial<Record<keyof Tables, readonly string[]>>;

export const copiedTables: readonly string[] = Object.keys(primaryKeys);

/** Takes over `db`. */
export function metadataCopy(camelCaseDb: Db, kind: SqlKind): MetadataCopy {
  const db = camelCaseDb.withoutPlugins();
  return {
    migrations: migrations.map(({ name }) => name),
    rows: () => rowsOf(db),
    load: (rows) =>
      db
        .transaction()
        .setIsolationLevel('serializable')
        .execute((inside) => load(inside, kind, rows)),
    close: () => db.destroy(),
  };
}

async function* rowsOf(db: Db): AsyncGenerator<CopiedRow> {
  const snapshot = await db.startTransaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute();
  try {
    for (const [table, key] of Object.entries(primaryKeys)) {
      for (let last: CopiedRow['row'] | undefined; ;) {
        const rows = await rowsAfter(snapshot, table, key, last);
        for (const row of rows) yield { table, row };
        if (rows.length < ROWS_AT_A_TIME) break;
        last = rows.at(-1);
      }
    }
  } finally {
    await snapshot.rollback().execute();
  }
}

async function rowsAfter(db: Db, table: string, key: readonly string[], last: CopiedRow['row'] | undefined) {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const after = last === undefined ? sql`` : sql`where (${columns}) > (${sql.join(key.map((column) => last[column]))})`;
  const { rows } = await sql<CopiedRow['row']>`
    select * from ${sql.table(table)} ${after} order by ${columns} limit ${sql.lit(ROWS_AT_A_TIME)}`.execute(db);
  return rows;
}

async function load(db: Db, kind: SqlKind, rows: AsyncIterable<CopiedRow>): Promise<void> {
  if ((await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined) {
    throw new StoreError(
      'in-use',
      'The metadata store is in use already. Restore into an empty one: another data folder, or an empty database.',
    );
  }
  await db.deleteFrom('audit_blocks').execute();
  let batch: CopiedRow[] = [];
  for await (const row of rows) {
    if (batch.length === ROWS_AT_A_TIME || (batch[0] !== undefined && batch[0].table !== row.table)) {
      await insert(db, kind, batch);
      batch = [];
    }
    batch.push(row);
  }
  await insert(db, kind, batch);
  if (kind === 'postgres') {
    const next = sql`(select coalesce(max(seq), 0) + 1 from audit)`;
    await sql`select setval(pg_get_serial_sequence('audit', 'seq'), ${next}, false)`.execute(db);
  }
}

async function insert(db: Db, kind: SqlKind, batch: readonly CopiedRow[]): Promise<void> {
  const [first] = batch;
  if (first === undefined) return;
  const columns = columnsOf(first);
  if (kind === 'postgres' && first.table === 'audit') {
    await addMonths(
      db,
      batch.map(({ row }) => Number(row.at)),
    );
  }
  const values = batch.map(({ row }) => sql`(${sql.join(columns.map((column) => row[column] ?? null))})`);
  const names = sql.join(columns.map((column) => sql.ref(column)));
  // the numbers of audit entries are generated otherwise
  const overriding = kind === 'postgres' ? sql`overriding system value` : sql``;
  await sql`insert into ${sql.table(tableOf(first))} (${names}) ${overriding} values ${sql.join(values)}`.execute(db);
}

function tableOf({ table }: CopiedRow): string {
  if (copiedTables.includes(table)) return table;
  throw new StoreError('unavailable', `The backup has a table ${JSON.stringify(table)} that this version does not know.`);
}

function columnsOf({ row }: CopiedRow): readonly string[] {
  const columns = Object.keys(row);
  if (columns.length > 0 && columns.every((column) => /^[a-z][a-z0-9_]*$/.test(column))) return columns;
  throw new StoreError('unavailable', 'The backup has a row with columns that no version wrote.');
}
