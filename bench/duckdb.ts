import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { exportFile } from './exports.ts';
import { listChildren, readMemoryMiB } from './process-cost.ts';
import { callApi, publish, startSluice } from './sluice.ts';
import { allRows, statements } from './statements.ts';
import { median } from './walk.ts';

export interface DuckdbCost {
  // MiB of all processes
  readonly beforeFirstMiB: number;
  readonly afterFirstMiB: number; // with the engine process
  readonly afterLastMiB: number;
  readonly idleMiB: number; // after the idle engine process has ended
  readonly firstMs: number; // the first query, which starts the engine process
  readonly startMs: number; // what starting the engine process adds to a call
  readonly oneMs: number;
  readonly pageMs: number;
  readonly csvSeconds: number;
}

/** Measures a DuckDB file with one call at a time, so that the figures contain no queueing. */
export async function measureDuckdb(rounds: number): Promise<DuckdbCost> {
  const files = await mkdtemp(join(tmpdir(), 'sluice-bench-duckdb-'));
  await createDuckdbSales(join(files, 'sales.duckdb'));
  const server = await startSluice(new URL('postgres://nowhere'), { SLUICE_FILES: files }, { isPrepared: false });
  try {
    const { url, pid } = server;
    await sleep(settlingMs);
    const beforeFirstMiB = readMemoryMiB(pid);
    await callApi(url, 'POST', '/api/v1/databases', { name: 'DuckDB', kind: 'duckdb', connection: { file: 'sales.duckdb' } });
    const { key } = await callApi<{ key: string }>(url, 'POST', '/api/v1/account/api-keys', { name: 'bench' });
    const preview = () =>
      measureTime(() =>
        callApi(url, 'POST', '/api/v1/queries/preview', { database: 'DuckDB', sql: 'select 1 as n', parameters: [] }),
      );
    const firstMs = await preview();
    await sleep(settlingMs);
    const afterFirstMiB = readMemoryMiB(pid);
    const warm = await measureMedian(50, preview);
    const withStart = await measureMedian(5 * rounds, async () => {
      await killEngine(pid);
      return preview();
    });
    await publish(url, 'one', statements.one, [{ name: '@Id', dataType: 'int', required: true }], 'DuckDB');
    await publish(url, 'page', statements.page, [{ name: '@Region', dataType: 'nvarchar(20)', required: true }], 'DuckDB');
    await publish(url, 'all', allRows, [], 'DuckDB');
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
    const oneMs = await measureMedian(300 * rounds, (i) => call('QD_one_DuckDB', '@Id', String((i * 7919) % 1_000_000)));
    const pageMs = await measureMedian(100 * rounds, (i) => call('QD_page_DuckDB', '@Region', regions[i % regions.length] ?? ''));
    const exportSeconds: number[] = [];
    for (let round = 0; round < rounds; round++)
      exportSeconds.push((await exportFile({ ...server, key }, 'csv', 'QD_all_DuckDB')).seconds);
    const afterLastMiB = readMemoryMiB(pid);
    while (listChildren(pid).length > 0) await sleep(1000);
    await sleep(settlingMs);
    return {
      beforeFirstMiB,
      afterFirstMiB,
      afterLastMiB,
      idleMiB: readMemoryMiB(pid),
      firstMs,
      startMs: withStart - warm,
      oneMs,
      pageMs,
      csvSeconds: median(exportSeconds),
    };
  } finally {
    await server.stop();
    await rm(files, { recursive: true });
  }
}

const regions = ['north', 'south', 'east', 'west', 'center', 'coast', 'hills', 'isles'];
const channels = ['web', 'shop', 'phone', 'partner'];

const settlingMs = 3000; // until the memory that only the start needed is freed

async function measureTime(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Kills the engine process, so that the next call starts a new one. */
async function killEngine(pid: number): Promise<void> {
  for (const child of listChildren(pid)) process.kill(child, 'SIGKILL');
  while (listChildren(pid).length > 0) await sleep(5);
  await sleep(100); // until the service has noticed
}

/** Leaves out the first fifth, in which code is compiled and caches are filled. */
async function measureMedian(count: number, measure: (index: number) => Promise<number>): Promise<number> {
  const values: number[] = [];
  for (let index = 0; index < count; index++) values.push(await measure(index));
  return median(values.slice(count / 5));
}

/** Creates the rows of sales.sql, except the notes with characters that JSON and CSV escape. */
export async function createDuckdbSales(file: string): Promise<void> {
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  const toList = (texts: readonly string[]): string => `[${texts.map((text) => `'${text}'`).join()}]`;
  await connection.run(`
    create table sales as
    select i::integer as id, timestamp '2024-01-01' + to_seconds(i * 37 % 31536000) as sold_at, (${toList(regions)})[1 + i * 7919 % 8] as region,
      'product-' || lpad((i * 104729 % 500)::varchar, 3, '0') as product, (${toList(channels)})[1 + i * 31 % 4] as channel,
      (1 + i * 6151 % 40)::integer as units, ((i * 48271 % 9999999) / 100)::decimal(12, 2) as amount,
      if(i % 5 = 0, null, 'note ' || (i % 1000) || ' for order ' || i) as note
    from range(1, 1000001) r(i)`);
  connection.closeSync();
  instance.closeSync();
}
