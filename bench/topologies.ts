import { Client } from 'pg';
import type { Target } from './load.ts';
import { readMemoryMiB } from './process-cost.ts';
import { type Contender, type Measured, measureRounds, type Rounds, warmUp } from './rounds.ts';
import type { SalesDatabase } from './sales.ts';
import { type ServerProcess, startBare } from './server-process.ts';
import { createCallers, type Sluice, startSluice } from './sluice.ts';
import { type Line, ratioOfProcesses } from './table.ts';

/** What `deploy/` ships: one machine with SQLite metadata and one or two workers, and replicas with PostgreSQL metadata, all behind a proxy. */
const topologies = {
  single: {
    title: 'single machine',
    workers: 1,
    goals: {
      one: { REST: { atLeast: 0.7 }, MCP: { atLeast: 0.6 } },
      page: { REST: { atLeast: 2.5 }, MCP: { atLeast: 1.5 } },
    },
  },
  workers: {
    title: 'two workers',
    workers: 2,
    goals: {
      one: { REST: { atLeast: 1, accepted: 0.93 }, MCP: { atLeast: 0.8 } },
      page: { REST: { atLeast: 2.5 }, MCP: { atLeast: 1.5 } },
    },
  },
  replicas: {
    title: 'replica',
    workers: 1,
    goals: {
      one: { REST: { atLeast: 0.6 }, MCP: { atLeast: 0.5 } },
      page: { REST: { atLeast: 2.3 }, MCP: { atLeast: 1.5 } },
    },
  },
} as const;
const MAX_MIB_OF_WORKERS = 550;

export type Topology = keyof typeof topologies;

export function parseTopologies(name: string | undefined): readonly Topology[] {
  if (name === undefined) return ['single', 'workers', 'replicas'];
  if (name === 'single' || name === 'workers' || name === 'replicas') return [name];
  throw new Error(`--topology must be single, workers or replicas, not ${name}.`);
}

interface Pace extends Omit<Rounds, 'connections'> {
  readonly processes: number;
  readonly warmUpSeconds: number;
}

const connections = 64;

/**
 * Measures one topology at a time, with every protection on and the headers that a proxy adds. Processes of the same code
 * differ by up to 15 %, so several are measured, each against a process of bare.
 */
export async function measureTopologies(
  names: readonly Topology[],
  database: SalesDatabase,
  pace: Pace,
): Promise<readonly Line[]> {
  const lines: Line[] = [];
  for (const name of names) {
    const measured: Pair[] = [];
    for (let pair = 0; pair < pace.processes; pair++) measured.push(await measurePair(name, database, pace));
    const { title, goals } = topologies[name];
    for (const [rows, what] of [
      ['one', 'one row'],
      ['page', '1000 rows'],
    ] as const) {
      const processes = measured.map((pair) => pair[rows]);
      for (const door of ['REST', 'MCP'] as const)
        lines.push(ratioOfProcesses(`${title}: ${what}, ${door}`, processes, door, goals[rows][door]));
    }
    const value = Math.max(...measured.map(({ memoryMiB }) => memoryMiB));
    const goal = name === 'workers' ? { goal: { atMost: MAX_MIB_OF_WORKERS } } : {};
    lines.push({ what: `${title}: memory of all processes after one row`, value, unit: 'MiB', ...goal });
  }
  return lines;
}

interface Pair {
  readonly one: Measured[][];
  readonly page: Measured[][];
  readonly memoryMiB: number;
}

async function measurePair(name: Topology, database: SalesDatabase, pace: Pace): Promise<Pair> {
  const bare = await startBare(database);
  const sluice = await startSluice(database.url, {
    SLUICE_TRUSTED_PROXIES: 'loopback',
    SLUICE_WORKERS: String(topologies[name].workers),
    ...(name === 'replicas' && { SLUICE_METADATA_URL: await createMetadataDatabase(database.url) }),
  });
  try {
    const others = { bare, database, keys: await createCallers(sluice.url) };
    const one = createContenders(sluice, others, { path: '/one?v={id}', query: 'QD_one_Sales', name: '@Id', value: '{id}' });
    await warmUp(one, { requests: 30_000, seconds: pace.warmUpSeconds });
    const ones = await measureRounds(one, { ...pace, connections });
    const memoryMiB = readMemoryMiB(sluice.pid);
    const thousand = { path: '/page?v={region}', query: 'QD_page_Sales', name: '@Region', value: '{region}' };
    const page = createContenders(sluice, others, thousand);
    await warmUp(page, { requests: 1000, seconds: pace.warmUpSeconds / 4 });
    return { one: ones, page: await measureRounds(page, { ...pace, connections }), memoryMiB };
  } finally {
    await Promise.all([bare.stop(), sluice.stop()]);
  }
}

interface Others {
  readonly bare: ServerProcess;
  readonly database: SalesDatabase;
  readonly keys: readonly string[];
}

interface Call {
  readonly path: string; // of bare
  readonly query: string;
  readonly name: string;
  readonly value: string;
}

function createContenders(
  sluice: Sluice,
  { bare, database, keys }: Others,
  { path, query, name, value }: Call,
): readonly Contender[] {
  const parameters = [{ ParameterName: name, Value: value }];
  const post = (to: string, body: unknown): Target => ({
    url: sluice.url,
    method: 'POST',
    path: to,
    keys,
    headers: {
      'Content-Type': 'application/json',
      'X-Forwarded-For': '203.0.113.7',
      'X-Forwarded-Proto': 'http',
    },
    body: JSON.stringify(body),
  });
  const params = { name: 'execute_query', arguments: { queryName: query, parameters, rowSize: 1000 } };
  const databasePid = database.pid;
  return [
    { name: 'bare', pid: bare.pid, databasePid, target: { url: bare.url, method: 'GET', path, headers: {} } },
    {
      name: 'REST',
      pid: sluice.pid,
      databasePid,
      target: post('/api/v1/JsonBuilder/ExecuteQuery', { QueryName: query, Parameters: parameters }),
    },
    {
      name: 'MCP',
      pid: sluice.pid,
      databasePid,
      target: post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    },
  ];
}

/** Creates the metadata database on the server of the sales, after checking that its commits wait for the disk. */
async function createMetadataDatabase(server: URL): Promise<string> {
  const client = new Client({ connectionString: server.href });
  await client.connect();
  try {
    const { rows } = await client.query<{ durability: string }>(
      "select current_setting('fsync') || current_setting('synchronous_commit') as durability",
    );
    if (rows[0]?.durability !== 'onon') throw new Error('The PostgreSQL of the benchmark does not wait for the disk on commit.');
    await client.query('drop database if exists metadata with (force)');
    await client.query('create database metadata');
  } finally {
    await client.end();
  }
  const url = new URL(server);
  url.pathname = 'metadata';
  return url.href;
}
