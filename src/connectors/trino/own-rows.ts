import { shortWorkMs } from '../run-deadline.ts';
import type { Database } from './database.ts';
import type { QueryClient } from './query-client.ts';
import type { QueryPage, TrinoRow } from './query-page.ts';

/** All rows of an internal statement. */
export async function ownRows(database: Database, query: QueryClient, sql: string): Promise<readonly TrinoRow[]> {
  const rows: TrinoRow[] = [];
  let page: QueryPage | undefined = await query.submit(sql, database.headers(shortWorkMs));
  while (page !== undefined) {
    for (const row of page.data ?? []) rows.push(row);
    page = await query.next();
  }
  return rows;
}
