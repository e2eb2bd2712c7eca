import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { measureDuckdb } from './duckdb.ts';
import { measureEngines } from './engines.ts';
import { copyByPsql, type ExportCost, exportFile, hasPsql } from './exports.ts';
import { measurePages } from './pages.ts';
import { memoryMiB, peakMiB } from './process-cost.ts';
import { type SalesDatabase, startSales } from './sales.ts';
import { type ServerProcess, startBare } from './server-process.ts';
import { type Sluice, startSluice, startUpMs } from './sluice.ts';
import { isMet, type Line, printTable } from './table.ts';
import { measureTopologies, topologiesOf } from './topologies.ts';
import { measureLatePage, median, walkBare, walkSluice } from './walk.ts';

/** `npm run bench`: Sluice against a bare handler, on one PostgreSQL, in one run. `--check` fails below a goal, `--quick` is rough. */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      check: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      topology: { type: 'string' }, // single or replicas: this one alone, and no other part
    },
  });
  const topologies = topologiesOf(values.topology);
  const only = values.topology === undefined ? values.only : 'topologies';
  const pace = values.quick ? { rounds: 1, seconds: 2, warmUpSeconds: 6 } : { rounds: 15, seconds: 1, warmUpSeconds: 20 };
  await (await startSluice(new URL('postgres://nowhere'), {}, { prepared: false })).stop(); // compiles what has changed, which takes memory for good
  const database = await startSales();
  const bare = await startBare(database);
  const sluice = await startSluice(database.url, { SLUICE_TRUSTED_PROXIES: 'loopback' });
  const lines: Line[] = [];
  const isWanted = (part: string): boolean => only === undefined || only.split(',').includes(part);
  const idle = isWanted('memory') ? await idleMiB(sluice) : Number.NaN;
  try {
    const parts: Readonly<Record<string, () => Promise<readonly Line[]>>> = {
      topologies: () =>
        measureTopologies(topologies, database, { ...pace, ...(values.quick ? { processes: 1 } : { processes: 3, rounds: 6 }) }),
      late: () => lateAgainstEarly(sluice),
      pages: () => measurePages(sluice, database, values.quick ? 2 : 15),
      walk: () => walks(bare, sluice, values.quick ? 1 : 3),
      exports: () => files(sluice, database, values.quick ? 1 : 3),
      duckdb: () => duckdb(values.quick ? 1 : 5),
      memory: async () => memory(sluice, idle),
      start: () => startUp(values.quick ? 1 : 5),
      engines: () => measureEngines(database, { ...pace, rounds: values.quick ? 1 : 5 }),
    };
    for (const [name, measure] of Object.entries(parts)) {
      if (!isWanted(name)) continue;
      process.stderr.write(`${name} …\n`);
      lines.push(...(await measure()));
    }
  } finally {
    await Promise.all([bare.stop(), sluice.stop()]);
    await database.stop();
  }
  printTable(lines);
  return values.check && !lines.every(isMet) ? 1 : 0;
}

/** Half a minute after the last call: V8 gives back what the calls before needed. */
async function idleMiB(sluice: Sluice): Promise<number> {
  await delay(30_000);
  return memoryMiB(sluice.pid);
}

async function lateAgainstEarly(sluice: Sluice): Promise<readonly Line[]> {
  const { early, late } = await measureLatePage(sluice);
  const remark = `${late.toFixed(1)} ms against ${early.toFixed(1)} ms`;
  return [{ what: 'page at row 990,000 to page 2', value: late / early, unit: '×', goal: { most: 1.2 }, remark }];
}

async function walks(bare: ServerProcess, sluice: Sluice, rounds: number): Promise<readonly Line[]> {
  const ours: number[] = [];
  const keyset: number[] = [];
  for (let round = 0; round < rounds; round++) {
    keyset.push(await walkBare(bare.url));
    ours.push(await walkSluice(sluice));
  }
  const ratio = median(ours.map((seconds, round) => seconds / (keyset[round] ?? Number.NaN)));
  const remark = `${median(ours).toFixed(1)} s against ${median(keyset).toFixed(1)} s`;
  return [{ what: '1,000,000 rows in pages, to keyset pages of bare', value: ratio, unit: '×', goal: { most: 1 }, remark }];
}

async function files(sluice: Sluice, database: SalesDatabase, rounds: number): Promise<readonly Line[]> {
  const csv: ExportCost[] = [];
  const xlsx: ExportCost[] = [];
  const psql: number[] = [];
  for (let round = 0; round < rounds; round++) {
    if (hasPsql) psql.push(await copyByPsql(database));
    csv.push(await exportFile(sluice, 'csv', 'QD_everything_Sales'));
    xlsx.push(await exportFile(sluice, 'xlsx', 'QD_tenth_Sales'));
  }
  const seconds = median(csv.map((each) => each.seconds));
  const held = Math.max(...csv.map((each) => each.memoryMiB));
  const ratio = median(csv.map((each, round) => each.seconds / (psql[round] ?? Number.NaN)));
  const against = `${seconds.toFixed(1)} s against ${median(psql).toFixed(1)} s`;
  return [
    ...(hasPsql
      ? [{ what: '1,000,000 rows to CSV, to `psql \\copy`', value: ratio, unit: '×', goal: { most: 1.5 }, remark: against }]
      : [{ what: '1,000,000 rows to CSV', value: seconds, unit: 's' }]),
    { what: 'memory of that over what was held before', value: held, unit: 'MiB', goal: { most: 150 } },
    { what: '100,000 rows to xlsx', value: median(xlsx.map((each) => each.seconds)), unit: 's' },
  ];
}

async function duckdb(rounds: number): Promise<readonly Line[]> {
  const { idle, started, busy, ended, first, start, one, page, csv } = await measureDuckdb(rounds);
  return [
    { what: 'DuckDB: memory of all processes before the first query', value: idle, unit: 'MiB', goal: { most: 260 } },
    { what: 'DuckDB: memory of all processes after the first query', value: started, unit: 'MiB' },
    { what: 'DuckDB: first row, its process started for it', value: first, unit: 'ms' },
    { what: 'DuckDB: start of its process, by later first rows', value: start, unit: 'ms' },
    { what: 'DuckDB: one row, one caller', value: one, unit: 'ms' },
    { what: 'DuckDB: 1000 rows, one caller', value: page, unit: 'ms' },
    { what: 'DuckDB: 1,000,000 rows to CSV', value: csv, unit: 's' },
    { what: 'DuckDB: memory of all processes after that', value: busy, unit: 'MiB' },
    { what: 'DuckDB: memory of all processes when its process has ended', value: ended, unit: 'MiB', goal: { most: 260 } },
  ];
}

function memory(sluice: Sluice, idle: number): readonly Line[] {
  return [
    { what: 'memory when idle', value: idle, unit: 'MiB', goal: { most: 200 } },
    {
      what: 'most memory over idle, after all of the above',
      value: peakMiB(sluice.pid) - idle,
      unit: 'MiB',
      goal: { most: 150 },
    },
  ];
}

async function startUp(rounds: number): Promise<readonly Line[]> {
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) took.push((await startUpMs()) / 1000);
  return [{ what: 'start to first response', value: median(took), unit: 's', goal: { most: 2 } }];
}

process.exitCode = await main();
