import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type ServerProcess, startServer } from './server-process.ts';
import { allRows, statements, tenthOfRows } from './statements.ts';

const SLUICE = resolve(import.meta.dirname, '../bin/sluice');
const PASSWORD = 'a password for the benchmark';
const authorize = (username: string) => ({
  Authorization: `Basic ${Buffer.from(`${username}:${PASSWORD}`).toString('base64')}`,
});
const admin = authorize('admin');

export interface Sluice extends ServerProcess {
  readonly key: string;
  readonly folder: string;
}

/** Starts Sluice as a process, by default with the sales database, published queries and a key to call them with. */
export async function startSluice(
  database: URL,
  environment: Readonly<Record<string, string>> = {},
  { isPrepared = true, program = SLUICE }: { readonly isPrepared?: boolean; readonly program?: string } = {},
): Promise<Sluice> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  const settings = { SLUICE_PORT: '0', SLUICE_DATA: folder, SLUICE_ADMIN_PASSWORD: PASSWORD, SLUICE_DEMO: 'off', ...environment };
  const server = await startServer(program, ['start'], settings);
  const key = isPrepared ? await prepare(server.url, database) : '';
  const stop = async (): Promise<void> => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...server, key, folder, stop };
}

/** Milliseconds from start to first response of a service with an existing data folder and the demo catalog. */
export async function measureStartUp(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  const settings = { SLUICE_PORT: '0', SLUICE_DATA: folder, SLUICE_ADMIN_PASSWORD: PASSWORD };
  const first = await startServer(SLUICE, ['start'], settings); // creates the demo database
  await first.stop();
  const startedAt = performance.now();
  const server = await startServer(SLUICE, ['start'], settings);
  await callApi(server.url, 'GET', '/readyz');
  const elapsed = performance.now() - startedAt;
  await server.stop();
  await rm(folder, { recursive: true, force: true });
  return elapsed;
}

const CALLERS = 4; // the limit of one user would leave each of several workers a part of its slots

/** Creates users, and returns a key of each. */
export async function createCallers(url: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for (let number = 1; number <= CALLERS; number++) {
    const account = { username: `caller${number}`, password: PASSWORD };
    await callApi(url, 'POST', '/api/v1/users', { ...account, fullName: '', email: '', roles: ['Query User'], databases: ['*'] });
    keys.push(await createKey(url, authorize(account.username)));
  }
  return keys;
}

async function createKey(url: string, credential: typeof admin): Promise<string> {
  return (await callApi<{ key: string }>(url, 'POST', '/api/v1/account/api-keys', { name: 'bench' }, credential)).key;
}

async function prepare(url: string, database: URL): Promise<string> {
  const connection = {
    host: database.hostname,
    port: Number(database.port),
    user: database.username,
    password: database.password,
    database: database.pathname.slice(1),
  };
  await callApi(url, 'POST', '/api/v1/databases', { name: 'Sales', kind: 'postgres', connection });
  const id = { name: '@Id', dataType: 'int', required: true };
  const region = { name: '@Region', dataType: 'nvarchar(20)', required: true };
  await publish(url, 'one', statements.one, [id]);
  await publish(url, 'page', statements.page, [region]);
  await publish(url, 'all', allRows, []);
  await publish(url, 'tenth', tenthOfRows, []);
  return createKey(url, admin);
}

export async function publish(
  url: string,
  name: string,
  sql: string,
  parameters: readonly unknown[],
  database = 'Sales',
): Promise<void> {
  const body = { name, database, sql, parameters };
  const { id } = await callApi<{ id: string }>(url, 'POST', '/api/v1/queries', body);
  for (const action of ['validate', 'activate']) await callApi(url, 'POST', `/api/v1/queries/${id}/${action}`);
}

export async function callApi<T>(url: string, method: string, path: string, body?: unknown, credential = admin): Promise<T> {
  const sent =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { ...credential, 'Content-Type': 'application/json' } };
  const response = await fetch(url + path, { method, headers: credential, ...sent });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text || 'null');
}
