import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { startPostgres } from '../test/support/databases/postgres-server.ts';

export const SALES_ROWS = 1_000_000;

/** A PostgreSQL with the table `sales`. */
export interface SalesDatabase {
  readonly url: URL;
  readonly pid: number; // of its first process
  stop(): Promise<void>;
}

export async function startSales(): Promise<SalesDatabase> {
  const server = await startPostgres({ durable: true });
  try {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    await client.query('alter system set jit = off');
    await client.query('select pg_reload_conf()');
    await client.query(await readFile(join(import.meta.dirname, 'sales.sql'), 'utf8'));
    await client.query('vacuum (freeze, analyze) sales');
    const { rows } = await client.query<{ pid: number }>(
      "select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid",
    );
    await client.end();
    return { url: new URL(server.url), pid: rows[0]?.pid ?? 0, stop: server.stop };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
