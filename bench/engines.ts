import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EngineDatabase, engineStarters } from './engine-databases.ts';
import type { Target } from './load.ts';
import { type Contender, measureRounds, warmUp } from './rounds.ts';
import type { SalesDatabase } from './sales.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { callApi, publish, type Sluice, startSluice } from './sluice.ts';
import { type Goal, type Line, ratioLine } from './table.ts';

const connections = 16;

/** Requests per second of Sluice to those of the driver used bare. */
const goals: Readonly<Record<string, { readonly one?: Goal; readonly page: Goal }>> = {
  postgres: { page: { atLeast: 0.8 } },
  mysql: { one: { atLeast: 0.5, accepted: 0.45 }, page: { atLeast: 0.8 } },
  sqlserver: { one: { atLeast: 0.5, accepted: 0.45 }, page: { atLeast: 0.8 } },
  clickhouse: { page: { atLeast: 0.8 } },
  sqlite: { one: { atLeast: 0.3 }, page: { atLeast: 0.8 } },
  duckdb: { one: { atLeast: 0.6 }, page: { atLeast: 1 } },
};

interface Pace {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

/** Compares calls of one row and of a thousand through Sluice with the engine's driver alone, for each engine. As deployed, a proxy is trusted. */
export async function measureEngines(sales: SalesDatabase, pace: Pace): Promise<readonly Line[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-engines-'));
  const wanted = process.env.BENCH_ENGINES?.split(',');
  const lines: Line[] = [];
  try {
    for (const [engine, start] of Object.entries(engineStarters)) {
      if (wanted !== undefined && !wanted.includes(engine)) continue;
      const database = await start(sales, folder);
      if (typeof database === 'string') {
        process.stderr.write(`${engine} is skipped: ${database}\n`);
        continue;
      }
      process.stderr.write(`${database.name} …\n`);
      try {
        lines.push(...(await measureEngine(database, folder, pace)));
      } finally {
        await database.stop();
      }
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  return lines;
}

async function measureEngine(database: EngineDatabase, folder: string, pace: Pace): Promise<readonly Line[]> {
  const { kind, connection, statements, name } = database;
  const sluice = await startSluice(
    new URL('postgres://nowhere'),
    { SLUICE_TRUSTED_PROXIES: 'loopback', SLUICE_FILES: folder },
    { isPrepared: false },
  );
  const bare = await startServer(process.execPath, [join(import.meta.dirname, 'engine-bare.ts')], {
    BENCH_ENGINE: JSON.stringify({ kind, connection, statements }),
    UV_THREADPOOL_SIZE: '20', // a thread for each connection of a driver that blocks threads, as in Sluice
  });
  try {
    const key = await prepare(sluice.url, database);
    const one = await createContenders({ ...sluice, key }, bare, database, 'one', 1);
    const page = await createContenders({ ...sluice, key }, bare, database, 'page', 1000);
    await warmUp(one, { requests: 30_000, seconds: pace.warmUpSeconds / 2 });
    await warmUp(page, { requests: 1000, seconds: pace.warmUpSeconds / 4 });
    const goal = goals[kind];
    return [
      ratioLine(`${name}, one row`, await measureRounds(one, { ...pace, connections }), 'Sluice', goal?.one),
      ratioLine(`${name}, 1000 rows`, await measureRounds(page, { ...pace, connections }), 'Sluice', goal?.page),
    ];
  } finally {
    await Promise.all([bare.stop(), sluice.stop()]);
  }
}

async function prepare(url: string, { kind, connection, statements }: EngineDatabase): Promise<string> {
  await callApi(url, 'POST', '/api/v1/databases', { name: 'Engine', kind, connection });
  const declarations = {
    one: { name: '@Id', dataType: 'int', required: true },
    page: { name: '@Region', dataType: 'nvarchar(20)', required: true },
  };
  for (const name of ['one', 'page'] as const) {
    const parameter = declarations[name];
    const parameters = statements[name].includes(parameter.name) ? [parameter] : [];
    await publish(url, name, statements[name], parameters, 'Engine');
  }
  const { key } = await callApi<{ key: string }>(url, 'POST', '/api/v1/account/api-keys', { name: 'bench' });
  return key;
}

/** Calls both once and checks the rows: a call that returns too few would be measured too fast. */
async function createContenders(
  sluice: Sluice,
  bare: ServerProcess,
  { statements, pid: databasePid }: EngineDatabase,
  name: 'one' | 'page',
  rows: number,
): Promise<readonly Contender[]> {
  const [parameter, value, example] = name === 'one' ? ['@Id', '{id}', '7'] : ['@Region', '{region}', 'north'];
  const parameters = statements[name].includes(parameter) ? [{ ParameterName: parameter, Value: value }] : [];
  const ours: Target = {
    url: sluice.url,
    method: 'POST',
    path: '/api/v1/JsonBuilder/ExecuteQuery',
    headers: { 'X-API-Key': sluice.key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ QueryName: `QD_${name}_Engine`, Parameters: parameters }),
  };
  const theirs: Target = { url: bare.url, method: 'GET', path: `/${name}?v=${value}`, headers: {} };
  for (const target of [ours, theirs]) {
    const { url, method, path, headers, body } = target;
    const sent = body === undefined ? {} : { body: body.replace(value, example) };
    const response = await fetch(url + path.replace(value, example), { method, headers, ...sent });
    const text = await response.text();
    const found = response.ok ? JSON.parse(text) : undefined;
    const count = (found?.Data ?? found)?.length;
    if (count !== rows) throw new Error(`${url}${path} returned ${count} rows instead of ${rows}: ${text.slice(0, 300)}`);
  }
  return [
    { name: 'bare', pid: bare.pid, databasePid, target: theirs },
    { name: 'Sluice', pid: sluice.pid, databasePid, target: ours },
  ];
}
