import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { exportFile } from './exports.ts';
import { childrenOf, memoryMiB } from './process-cost.ts';
import { ask, publish, startSluice } from './sluice.ts';
import { everything, statements } from './statements.ts';
import { median } from './walk.ts';

export interface DuckdbCost {
  readonly idle: number; // MiB of all processes, before the first query
  readonly started: number; // after the first query, with its process
  readonly busy: number; // right after everything
  readonly ended: number; // when the process has ended for idleness
  readonly first: number; // ms
  readonly start: number; // ms by which a call that starts the process takes longer
  readonly one: number; // ms
  readonly page: number; // ms
  readonly csv: number; // s
}

/** One caller after the other on a DuckDB file, so that the time of a call is measured and not the queue. */
export async function measureDuckdb(rounds: number): Promise<DuckdbCost> {
  const files = await mkdtemp(join(tmpdir(), 'sluice-bench-duckdb-'));
  await makeDuckdbSales(join(files, 'sales.duckdb'));
  const server = await startSluice(new URL('postgres://nowhere'), { SLUICE_FILES: files }, { prepared: false });
  try {
    const { url, pid } = server;
    await sleep(settlingMs);
    const idle = memoryMiB(pid);
    await ask(url, 'POST', '/api/v1/databases', { name: 'Ducks', kind: 'duckdb', connection: { file: 'sales.duckdb' } });
    const { key } = await ask<{ key: string }>(url, 'POST', '/api/v1/account/api-keys', { name: 'bench' });
    const preview = () =>
      measureTime(() => ask(url, 'POST', '/api/v1/queries/preview', { database: 'Ducks', sql: 'select 1 as n', parameters: [] }));
    const first = await preview();
    await sleep(settlingMs);
    const started = memoryMiB(pid);
    const warm = await medianOf(50, preview);
    const starts = await medianOf(5 * rounds, async () => {
      await endEngine(pid);
      return preview();
    });
    await publish(url, 'one', statements.one, [{ name: '@Id', dataType: 'int', required: true }], 'Ducks');
    await publish(url, 'page', statements.page, [{ name: '@Region', dataType: 'nvarchar(20)', required: true }], 'Ducks');
    await publish(url, 'everything', everything, [], 'Ducks');
    const call = (query: string, name: string, value: string): Promise<number> =>
      measureTime(async () => {
        const response = await fetch(`${url}/api/v1/JsonBuilder/ExecuteQuery`, {
          method: 'POST',
          headers: { 'X-API-Key': key, 'Content-Type': 'application/json', 'Accept-Encoding': 'identity' },
          body: JSON.stringify({ QueryName: query, Parameters: [{ ParameterName: name, Value: value }] }),
        });
        await response.arrayBuffer();
        if (!response.ok) throw new Error(`${query}: ${response.status}`);
      });
    const one = await medianOf(300 * rounds, (i) => call('QD_one_Ducks', '@Id', String((i * 7919) % 1_000_000)));
    const page = await medianOf(100 * rounds, (i) => call('QD_page_Ducks', '@Region', regions[i % regions.length] ?? ''));
    const csv: number[] = [];
    for (let round = 0; round < rounds; round++)
      csv.push((await exportFile({ ...server, key }, 'csv', 'QD_everything_Ducks')).seconds);
    const busy = memoryMiB(pid);
    while (childrenOf(pid).length > 0) await sleep(1000);
    await sleep(settlingMs);
    return { idle, started, busy, ended: memoryMiB(pid), first, start: starts - warm, one, page, csv: median(csv) };
  } finally {
    await server.stop();
    await rm(files, { recursive: true });
  }
}

const regions = ['north', 'south', 'east', 'west', 'centre', 'coast', 'hills', 'isles'];
const channels = ['web', 'shop', 'phone', 'partner'];

const settlingMs = 3000; // what a start leaves behind is freed

async function measureTime(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** Kills the process of the engine, so that the next call starts another. */
async function endEngine(pid: number): Promise<void> {
  for (const child of childrenOf(pid)) process.kill(child, 'SIGKILL');
  while (childrenOf(pid).length > 0) await sleep(5);
  await sleep(100); // the service notices
}

/** The first fifth is left out: code is compiled and caches are filled. */
async function medianOf(count: number, measure: (index: number) => Promise<number>): Promise<number> {
  const took: number[] = [];
  for (let index = 0; index < count; index++) took.push(await measure(index));
  return median(took.slice(count / 5));
}

/** The rows of sales.sql, but for the notes with marks that are escaped. */
export async function makeDuckdbSales(file: string): Promise<void> {
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  const list = (words: readonly string[]): string => `[${words.map((word) => `'${word}'`).join()}]`;
  await connection.run(`
    create table sales as
    select i::integer as id, timestamp '2024-01-01' + to_seconds(i * 37 % 31536000) as sold_at, (${list(regions)})[1 + i * 7919 % 8] as region,
      'product-' || lpad((i * 104729 % 500)::varchar, 3, '0') as product, (${list(channels)})[1 + i * 31 % 4] as channel,
      (1 + i * 6151 % 40)::integer as units, ((i * 48271 % 9999999) / 100)::decimal(12, 2) as amount,
      if(i % 5 = 0, null, 'note ' || (i % 1000) || ' for order ' || i) as note
    from range(1, 1000001) r(i)`);
  connection.closeSync();
  instance.closeSync();
}
