import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { exportFile } from './exports.ts';
import { memoryMiB } from './process-cost.ts';
import { ask, publish, startSluice } from './sluice.ts';
import { everything, statements } from './statements.ts';
import { median } from './walk.ts';

export interface DuckdbCost {
  readonly idle: number; // MiB, before the first query
  readonly first: number; // ms
  readonly one: number; // ms
  readonly page: number; // ms
  readonly csv: number; // s
  readonly busy: number; // MiB, right after everything
}

/** One caller after the other on a DuckDB file, so that the time of a call is measured and not the queue. */
export async function measureDuckdb(rounds: number): Promise<DuckdbCost> {
  const files = await mkdtemp(join(tmpdir(), 'sluice-bench-duckdb-'));
  await makeSales(join(files, 'sales.duckdb'));
  const server = await startSluice(new URL('postgres://nowhere'), { SLUICE_FILES: files }, { prepared: false });
  try {
    const { url, pid } = server;
    const idle = memoryMiB(pid);
    await ask(url, 'POST', '/api/v1/databases', { name: 'Ducks', kind: 'duckdb', connection: { file: 'sales.duckdb' } });
    const { key } = await ask<{ key: string }>(url, 'POST', '/api/v1/account/api-keys', { name: 'bench' });
    const begun = performance.now();
    await ask(url, 'POST', '/api/v1/queries/preview', { database: 'Ducks', sql: 'select 1 as n', parameters: [] });
    const first = performance.now() - begun;
    await publish(url, 'one', statements.one, [{ name: '@Id', dataType: 'int', required: true }], 'Ducks');
    await publish(url, 'page', statements.page, [{ name: '@Region', dataType: 'nvarchar(20)', required: true }], 'Ducks');
    await publish(url, 'everything', everything, [], 'Ducks');
    const call = async (query: string, name: string, value: string): Promise<number> => {
      const started = performance.now();
      const response = await fetch(`${url}/api/v1/JsonBuilder/ExecuteQuery`, {
        method: 'POST',
        headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
        body: JSON.stringify({ QueryName: query, Parameters: [{ ParameterName: name, Value: value }] }),
      });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`${query}: ${response.status}`);
      return performance.now() - started;
    };
    const one = await medianOf(300 * rounds, (i) => call('QD_one_Ducks', '@Id', String((i * 7919) % 1_000_000)));
    const page = await medianOf(100 * rounds, (i) => call('QD_page_Ducks', '@Region', regions[i % regions.length] ?? ''));
    const csv: number[] = [];
    for (let round = 0; round < rounds; round++)
      csv.push((await exportFile({ ...server, key }, 'csv', 'QD_everything_Ducks')).seconds);
    return { idle, first, one, page, csv: median(csv), busy: memoryMiB(pid) };
  } finally {
    await server.stop();
    await rm(files, { recursive: true });
  }
}

const regions = ['north', 'south', 'east', 'west'];

/** The first fifth is left out: code is compiled and caches are filled. */
async function medianOf(count: number, measure: (index: number) => Promise<number>): Promise<number> {
  const took: number[] = [];
  for (let index = 0; index < count; index++) took.push(await measure(index));
  return median(took.slice(count / 5));
}

/** The columns of sales.sql. */
async function makeSales(file: string): Promise<void> {
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  await connection.run(`
    create table sales as
    select i::integer as id, timestamp '2024-01-01' + to_seconds(i * 61) as sold_at, (['north', 'south', 'east', 'west'])[1 + i % 4] as region,
      'product ' || (i * 7919 % 500) as product, (['web', 'shop', 'phone'])[1 + i % 3] as channel, (1 + i * 31 % 20)::integer as units,
      ((i * 7919 % 100000) / 100)::decimal(12, 2) as amount, if(i % 5 = 0, 'a note on sale ' || i, null) as note
    from range(1, 1000001) r(i)`);
  connection.closeSync();
  instance.closeSync();
}
