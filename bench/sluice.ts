import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type ServerProcess, startServer } from './server-process.ts';
import { everything, statements, tenth } from './statements.ts';

const SLUICE = resolve(import.meta.dirname, '../bin/sluice');
const PASSWORD = 'a password for measuring';
const admin = { Authorization: `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}` };

export interface Sluice extends ServerProcess {
  readonly key: string;
  readonly folder: string;
}

/** Sluice as a real process with the sales as a database, its queries published, and a key to call them with. */
export async function startSluice(
  database: URL,
  environment: Readonly<Record<string, string>> = {},
  { prepared = true, program = SLUICE }: { readonly prepared?: boolean; readonly program?: string } = {},
): Promise<Sluice> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  const settings = { SLUICE_PORT: '0', SLUICE_DATA: folder, SLUICE_ADMIN_PASSWORD: PASSWORD, SLUICE_DEMO: 'off', ...environment };
  const server = await startServer(program, ['start'], settings);
  const key = prepared ? await prepare(server.url, database) : '';
  const stop = async (): Promise<void> => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...server, key, folder, stop };
}

/** From start to the first response of a service that already has its data; the demo catalog included. */
export async function startUpMs(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  const settings = { SLUICE_PORT: '0', SLUICE_DATA: folder, SLUICE_ADMIN_PASSWORD: PASSWORD };
  const first = await startServer(SLUICE, ['start'], settings); // makes the demo database, once
  await first.stop();
  const begun = performance.now();
  const server = await startServer(SLUICE, ['start'], settings);
  await ask(server.url, 'GET', '/readyz');
  const took = performance.now() - begun;
  await server.stop();
  await rm(folder, { recursive: true, force: true });
  return took;
}

async function prepare(url: string, database: URL): Promise<string> {
  const connection = {
    host: database.hostname,
    port: Number(database.port),
    user: database.username,
    password: database.password,
    database: database.pathname.slice(1),
  };
  await ask(url, 'POST', '/api/v1/databases', { name: 'Sales', kind: 'postgres', connection });
  const id = { name: '@Id', dataType: 'int', required: true };
  const region = { name: '@Region', dataType: 'nvarchar(20)', required: true };
  await publish(url, 'one', statements.one, [id]);
  await publish(url, 'page', statements.page, [region]);
  await publish(url, 'everything', everything, []);
  await publish(url, 'tenth', tenth, []);
  const { key } = await ask<{ key: string }>(url, 'POST', '/api/v1/account/api-keys', { name: 'bench' });
  return key;
}

export async function publish(
  url: string,
  name: string,
  sql: string,
  parameters: readonly unknown[],
  database = 'Sales',
): Promise<void> {
  const body = { name, database, sql, parameters };
  const { id } = await ask<{ id: string }>(url, 'POST', '/api/v1/queries', body);
  for (const move of ['validate', 'activate']) await ask(url, 'POST', `/api/v1/queries/${id}/${move}`);
}

export async function ask<T>(url: string, method: string, path: string, body?: unknown): Promise<T> {
  const sent =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { ...admin, 'Content-Type': 'application/json' } };
  const response = await fetch(url + path, { method, headers: admin, ...sent });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text || 'null');
}
