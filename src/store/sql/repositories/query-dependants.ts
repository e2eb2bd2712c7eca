import { type RawBuilder, sql } from 'kysely';
import type { QueryDependants, QueryRepository, StoredDependant } from '../../metadata-store.ts';
import type { Db } from '../db.ts';
import type { SqlKind } from '../migrations/migration.ts';

/** Embeds, data links and keys with typed tools that name a query and have not ended. */
export async function listDependants(
  db: Db,
  kind: SqlKind,
  ...[queryName, { now, limit }]: Parameters<QueryRepository['listDependants']>
): Promise<QueryDependants> {
  const isValid = sql`(expires_at is null or expires_at > ${now})`;
  // `QD_Sales_Demo@3` names a version; A is the character after @
  const isNamed = sql`(query_name = ${queryName} or (query_name > ${`${queryName}@`} and query_name < ${`${queryName}A`}))`;
  const inList = sql.raw(kind === 'postgres' ? 'strpos' : 'instr');
  const sources: readonly Source[] = [
    { table: 'embeds', columns: sql`'embed' as kind, query_name, chart as text`, where: sql`${isNamed} and ${isValid}` },
    { table: 'links', columns: sql`'link' as kind, query_name, settings as text`, where: sql`${isNamed} and ${isValid}` },
    {
      table: 'api_keys',
      columns: sql`'typedKey' as kind, ${queryName} as query_name, name as text`,
      where: sql`tools = 'typed' and revoked_at is null and ${isValid} and ${inList}(queries, ${JSON.stringify(queryName)}) > 0`,
    },
  ];
  const found: StoredDependant[] = [];
  let count = 0;
  for (const { table, columns, where } of sources) {
    const named = sql`${sql.table(table)} where ${where}`;
    const { rows } = await sql<Row>`
      select found.id, found.kind, query_name as "queryName", text, users.username as owner
      from (select id, user_id, ${columns} from ${named} limit ${limit - found.length}) found join users on users.id = found.user_id`.execute(
      db,
    );
    found.push(...rows.map(dependantOf));
    const counted = await sql<{ count: number }>`select count(*) as count from ${named}`.execute(db);
    count += counted.rows[0]?.count ?? 0;
  }
  return { items: found, count };
}

interface Source {
  readonly table: 'embeds' | 'links' | 'api_keys';
  readonly columns: RawBuilder<unknown>;
  readonly where: RawBuilder<unknown>;
}

type Row = Omit<StoredDependant, 'name'> & { readonly text: string };

function dependantOf({ text, ...row }: Row): StoredDependant {
  if (row.kind === 'typedKey') return { ...row, name: text };
  const { title, name = title }: { title?: string; name?: string } = JSON.parse(text);
  return { ...row, name: name ?? '' };
}
