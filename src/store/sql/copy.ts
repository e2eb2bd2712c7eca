import { type RawBuilder, sql } from 'kysely';
import type { CopiedRows, MetadataCopy } from '../metadata-copy.ts';
import { StoreError } from '../metadata-store.ts';
import type { Db, Tables } from './db.ts';
import { migrations } from './migrations/index.ts';
import type { SqlKind } from './migrations/migration.ts';

const ROWS_AT_A_TIME = 2_000; // some hundred KiB of text

/**
 * The primary key of every table, referenced tables first, except `migrations`, `executions`, `leases`, `data_files` and `guesses`, which belong to
 * the running service, and `catalog_generation` and `query_changes`, which triggers write.
 */
const primaryKeys = {
  users: ['id'],
  blocked_viewers: ['user_id', 'sub'],
  viewers: ['user_id', 'sub'],
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
  links: ['id'],
  oauth_clients: ['id'],
  oauth_grants: ['id'],
  oauth_tokens: ['hash'],
  oauth_artifacts: ['kind', 'hash'],
  settings: ['key'],
  audit: ['seq'],
} as const satisfies Record<
  Exclude<keyof Tables, 'migrations' | 'executions' | 'leases' | 'data_files' | 'guesses'>,
  readonly string[]
>;

export const copiedTables: readonly string[] = Object.keys(primaryKeys);

/** `close` destroys `db`. The databases write and read the JSON, which is several times faster than converting cells in JavaScript. */
export function metadataCopy(camelCaseDb: Db, kind: SqlKind): MetadataCopy {
  const db = camelCaseDb.withoutPlugins();
  return {
    migrations: migrations.map(({ name }) => name),
    rows: () => rowsOf(db, kind),
    requireUnused: () => requireUnused(db),
    load: (rows) =>
      db
        .transaction()
        .setIsolationLevel('serializable')
        .execute((inside) => load(inside, kind, rows)),
    close: () => db.destroy(),
  };
}

type Key = Readonly<Record<string, string | number>>;

async function* rowsOf(db: Db, kind: SqlKind): AsyncGenerator<CopiedRows> {
  const snapshot = await db.startTransaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute();
  try {
    for (const [table, key] of Object.entries(primaryKeys)) {
      const columns = (await columnsOf(snapshot, kind, table)).map(({ name }) => name);
      for (let after: Key | undefined; ;) {
        const last = await lastKeyOf(snapshot, table, key, after);
        const range = sql`${compareKey(key, '>', after)} and ${compareKey(key, '<=', last)}`;
        const { count, json } = await readChunk(snapshot, kind, table, columns, range);
        if (count > 0) yield { table, columns, count, json };
        if (last === undefined) break;
        after = last;
      }
    }
  } finally {
    await snapshot.rollback().execute();
  }
}

/** The key of the last row of a full chunk; undefined if fewer rows are left. */
async function lastKeyOf(db: Db, table: string, key: readonly string[], after: Key | undefined): Promise<Key | undefined> {
  const { rows } = await sql<Key>`select ${refs(key)} from ${sql.table(table)} where ${compareKey(key, '>', after)}
    order by ${refs(key)} limit 1 offset ${sql.lit(ROWS_AT_A_TIME - 1)}`.execute(db);
  return rows[0];
}

/** In any order: a chunk is restored as a whole. */
async function readChunk(db: Db, kind: SqlKind, table: string, columns: readonly string[], range: RawBuilder<unknown>) {
  const json =
    kind === 'postgres'
      ? sql`'[' || coalesce(string_agg(json_build_array(${refs(columns)})::text, ','), '') || ']'`
      : sql`json_group_array(json_array(${refs(columns)}))`;
  const { rows } = await sql<{ count: number; json: string }>`select count(*) as count, ${json} as json
    from ${sql.table(table)} where ${range}`.execute(db);
  return rows[0] ?? { count: 0, json: '[]' };
}

const refs = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)));

function compareKey(key: readonly string[], operator: '>' | '<=', bound: Key | undefined) {
  if (bound === undefined) return sql`1 = 1`;
  return sql`(${refs(key)}) ${sql.raw(operator)} (${sql.join(key.map((column) => bound[column]))})`;
}

async function columnsOf(db: Db, kind: SqlKind, table: string): Promise<readonly { name: string; type: string }[]> {
  const { rows } = await (
    kind === 'postgres'
      ? sql<{ name: string; type: string }>`select attname as name, format_type(atttypid, atttypmod) as type
          from pg_attribute where attrelid = ${table}::regclass and attnum > 0 and not attisdropped order by attnum`
      : sql<{ name: string; type: string }>`select name, type from pragma_table_info(${table}) order by cid`
  ).execute(db);
  return rows;
}

async function requireUnused(db: Db): Promise<void> {
  if ((await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined) {
    throw new StoreError(
      'in-use',
      'The metadata store is in use already. Restore into an empty one: another data folder, or an empty database.',
    );
  }
}

async function load(db: Db, kind: SqlKind, chunks: AsyncIterable<CopiedRows>): Promise<void> {
  await requireUnused(db);
  for await (const chunk of chunks) await insert(db, kind, chunk);
  if (kind === 'postgres') {
    const next = sql`(select coalesce(max(seq), 0) + 1 from audit)`;
    await sql`select setval(pg_get_serial_sequence('audit', 'seq'), ${next}, false)`.execute(db);
  }
}

async function insert(db: Db, kind: SqlKind, { table, columns, json }: CopiedRows): Promise<void> {
  if (!copiedTables.includes(table)) throw unknownError(`a table ${JSON.stringify(table)}`);
  const types = new Map((await columnsOf(db, kind, table)).map(({ name, type }) => [name, type]));
  const unknown = columns.find((column) => !types.has(column));
  if (unknown !== undefined) throw unknownError(`a column ${JSON.stringify(unknown)} of ${table}`);
  const into = sql`insert into ${sql.table(table)} (${refs(columns)})`;
  const cell = (index: number) => sql.raw(`value ->> ${index}`);
  if (kind === 'sqlite') {
    // materialized as binary JSON: SQLite would otherwise parse the text of a row for each of its cells
    const rows = sql`with copied(value) as materialized (select jsonb(value) from json_each(${json}))`;
    await sql`${rows} ${into} select ${sql.join(columns.map((_, index) => cell(index)))} from copied`.execute(db);
    return;
  }
  const rows = sql`jsonb_array_elements(${json}::jsonb) as value`;
  if (table === 'audit') {
    const months = sql`select distinct audit_month((${cell(columns.indexOf('at'))})::bigint, 0) as month from ${rows}`;
    await sql`select add_audit_month(month) from (${months}) as months`.execute(db);
  }
  const cells = columns.map((column, index) => sql`(${cell(index)})::${sql.raw(types.get(column) ?? 'text')}`);
  // keeps the numbers of audit entries, which are generated for other inserts
  await sql`${into} overriding system value select ${sql.join(cells)} from ${rows}`.execute(db);
}

const unknownError = (what: string): StoreError =>
  new StoreError('unavailable', `The backup has ${what} that this version does not know.`);
