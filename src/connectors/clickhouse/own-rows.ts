import { shortWorkMs } from '../run-deadline.ts';
import type { Database } from './database.ts';
import type { Requests } from './request.ts';
import { ResultReader } from './result-reader.ts';

/** All rows of an internal statement, as text. */
export async function ownRows(
  database: Database,
  requests: Requests,
  sql: string,
  values: Readonly<Record<string, string | null>> = {},
): Promise<readonly (readonly string[])[]> {
  const settings = (await database.facts()).settingsFor(shortWorkMs);
  const reader = new ResultReader(await requests.send(`${sql}\nFORMAT JSONCompact`, { settings, values }));
  await reader.start();
  const rows: string[][] = [];
  for (let next = await reader.next(); next !== undefined; next = await reader.next()) {
    for (const row of next) rows.push(row.map((raw) => (raw === null ? '' : String(JSON.parse(raw)))));
  }
  requests.ended();
  return rows;
}
