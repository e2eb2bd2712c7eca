import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string | null; // of the server started for the run
    postgresProblem: string | null; // the reason why there is none
  }
}

/** The reason why suites that need PostgreSQL are skipped, or null. */
export const postgresProblem = (): string | null => inject('postgresProblem');

/** Creates an empty database on the server of this run and returns its URL. */
export async function createDatabase(): Promise<string> {
  const server = inject('postgresUrl');
  if (server === null) throw new Error(postgresProblem() ?? 'The run has no PostgreSQL.');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await execute(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = name;
  return url.href;
}

/** Runs one statement on a new connection. */
export async function execute(url: string, statement: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(statement);
    return rows;
  } finally {
    await client.end();
  }
}
