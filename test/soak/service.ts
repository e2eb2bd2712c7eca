import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startServer } from '../../bench/server-process.ts';
import { statements } from '../../bench/statements.ts';

const SLUICE = resolve(import.meta.dirname, '../../bin/sluice');
const PASSWORD = 'a password for an hour';
const PEOPLE = 4;

/** The service under load, with all published queries that the calls need. */
export interface SoakService {
  readonly url: string;
  readonly pid: number;
  readonly data: string;
  readonly admin: Readonly<Record<string, string>>; // headers
  readonly keys: readonly string[]; // of several users, because slots are limited per user
  readonly embeds: readonly string[]; // tokens
  stop(): Promise<void>;
}

/** A process on an empty data folder with default settings except the port. */
export async function startSoakService(sales: URL): Promise<SoakService> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-soak-'));
  const [data, files] = [join(folder, 'data'), join(folder, 'files')];
  await mkdir(files);
  makeStock(join(files, 'stock.sqlite'));
  const settings = { SLUICE_PORT: '0', SLUICE_DATA: data, SLUICE_FILES: files, SLUICE_ADMIN_PASSWORD: PASSWORD };
  const server = await startServer(SLUICE, ['start'], settings);
  const admin = { Authorization: basicAuthorization('admin', PASSWORD) };
  const ask = <T>(method: string, path: string, body?: unknown, headers = admin): Promise<T> =>
    request(server.url, method, path, headers, body);
  await addDatabases(ask, sales);
  await publishAll(ask);
  const keys: string[] = [];
  for (let person = 1; person <= PEOPLE; person++) keys.push(await addPerson(ask, `reader-${person}`));
  const embeds: string[] = [];
  for (const chart of charts) {
    const { Token } = await ask<{ Token: string }>('POST', `/api/v1/EmbeddedChart/GetEmbedUrl?${new URLSearchParams(chart)}`);
    embeds.push(Token);
  }
  const stop = async (): Promise<void> => {
    await server.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  return { url: server.url, pid: server.pid, data, admin, keys, embeds, stop };
}

type Ask = <T>(method: string, path: string, body?: unknown, headers?: { Authorization: string }) => Promise<T>;

const basicAuthorization = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

const charts = [
  { queryName: 'QD_by_region_Sales', chartType: 'bar', labelColumn: 'region', dataColumn: 'amount', title: 'By region' },
  { queryName: 'QD_by_region_Sales', chartType: 'donut', labelColumn: 'region', dataColumn: 'units', theme: 'dark' },
  { queryName: 'QD_items_Demo', chartType: 'line', labelColumn: 'label', dataColumn: 'value' },
];

function makeStock(file: string): void {
  const stock = new DatabaseSync(file);
  stock.exec('create table stock (id integer primary key, name text, amount real)');
  stock.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
    insert into stock select i, 'item ' || i, i * 0.25 from n`);
  stock.close();
}

async function addDatabases(ask: Ask, { hostname, port, username, password, pathname }: URL): Promise<void> {
  const connection = { host: hostname, port: Number(port), user: username, password, database: pathname.slice(1) };
  await ask('POST', '/api/v1/databases', { name: 'Sales', kind: 'postgres', connection });
  await ask('POST', '/api/v1/databases', { name: 'Stock', kind: 'sqlite', connection: { file: 'stock.sqlite' } });
}

async function publishAll(ask: Ask): Promise<void> {
  const id = { name: '@Id', dataType: 'int', required: true };
  const region = { name: '@Region', dataType: 'nvarchar(20)', required: true };
  const rows = { name: '@Rows', dataType: 'int', required: true };
  const columns = 'id, sold_at, region, product, channel, units, amount, note';
  const byRegion = 'select region, sum(amount) as amount, sum(units) as units from sales where id <= 5000 group by region';
  const queries = [
    { database: 'Sales', name: 'one', sql: statements.one, parameters: [id], aiAccess: true },
    { database: 'Sales', name: 'page', sql: statements.page, parameters: [region], aiAccess: true },
    { database: 'Sales', name: 'rows', sql: `select ${columns} from sales where id <= @Rows order by id`, parameters: [rows] },
    { database: 'Sales', name: 'by region', sql: byRegion },
    { database: 'Sales', name: 'shared', sql: byRegion, cacheSeconds: 5 },
    { database: 'Sales', name: 'late', sql: 'select pg_sleep(3)::text as nothing', timeoutSeconds: 1 },
    { database: 'Sales', name: 'long', sql: 'select pg_sleep(20)::text as nothing' },
    { database: 'Demo', name: 'items', sql: "select 'item ' || i as label, i * 10 as value from range(1, 13) r(i)" },
    { database: 'Demo', name: 'many', sql: 'select i, md5(i::varchar) as hash from range(@Rows) r(i)', parameters: [rows] },
    { database: 'Stock', name: 'one', sql: 'select id, name, amount from stock where id = @Id', parameters: [id] },
    { database: 'Stock', name: 'all', sql: 'select id, name, amount from stock order by id' },
  ];
  for (const query of queries) {
    const created = await ask<{ id: string }>('POST', '/api/v1/queries', { parameters: [], ...query });
    for (const move of ['validate', 'activate']) await ask('POST', `/api/v1/queries/${created.id}/${move}`);
  }
}

async function addPerson(ask: Ask, username: string): Promise<string> {
  const person = { username, password: PASSWORD, roles: ['Query User'], databases: ['*'] };
  await ask('POST', '/api/v1/users', person);
  const own = { Authorization: basicAuthorization(username, PASSWORD) };
  return (await ask<{ key: string }>('POST', '/api/v1/account/api-keys', { name: 'soak' }, own)).key;
}

async function request<T>(url: string, method: string, path: string, headers: Record<string, string>, body: unknown): Promise<T> {
  const sent =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { ...headers, 'Content-Type': 'application/json' } };
  const response = await fetch(url + path, { method, headers, ...sent });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text || 'null');
}
