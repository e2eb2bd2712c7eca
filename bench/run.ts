import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { measureCharts } from './charts.ts';
import { measureDuckdb } from './duckdb.ts';
import { measureEngines } from './engines.ts';
import { copyByPsql, type ExportCost, exportFile, hasPsql } from './exports.ts';
import { measurePages } from './pages.ts';
import { readMemoryMiB, readPeakMiB } from './process-cost.ts';
import { type SalesDatabase, startSales } from './sales.ts';
import { type ServerProcess, startBare } from './server-process.ts';
import { type Sluice, startSluice, measureStartUp } from './sluice.ts';
import { isAccepted, type Line, printTable } from './table.ts';
import { measureTopologies, parseTopologies } from './topologies.ts';
import { measureViewers } from './viewers.ts';
import { measureLatePage, median, walkBare, walkSluice } from './walk.ts';

/** `npm run bench`: Sluice against a bare handler, on one PostgreSQL, in one run. `--check` fails if a goal is missed further than is accepted; `--quick` measures roughly. */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      check: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      topology: { type: 'string' }, // single, workers or replicas: this one alone, and no other part
    },
  });
  const topologies = parseTopologies(values.topology);
  const only = values.topology === undefined ? values.only : 'topologies';
  const pace = values.quick ? { rounds: 1, seconds: 2, warmUpSeconds: 6 } : { rounds: 15, seconds: 1, warmUpSeconds: 20 };
  await (await startSluice(new URL('postgres://nowhere'), {}, { isPrepared: false })).stop(); // fills the compile cache: compiling would raise the memory of the measured process for good
  const database = await startSales();
  const bare = await startBare(database);
  const sluice = await startSluice(database.url, { SLUICE_TRUSTED_PROXIES: 'loopback' });
  const lines: Line[] = [];
  const isWanted = (part: string): boolean => only === undefined || only.split(',').includes(part);
  const idle = isWanted('memory') ? await measureIdleMiB(sluice) : Number.NaN;
  try {
    const parts: Readonly<Record<string, () => Promise<readonly Line[]>>> = {
      topologies: () =>
        measureTopologies(topologies, database, { ...pace, ...(values.quick ? { processes: 1 } : { processes: 3, rounds: 6 }) }),
      late: () => comparePages(sluice),
      pages: () => measurePages(sluice, database, values.quick ? 2 : 15),
      walk: () => measureWalks(bare, sluice, values.quick ? 1 : 3),
      exports: () => measureExports(sluice, database, values.quick ? 1 : 3),
      charts: () => measureCharts(values.quick ? 2 : 10),
      duckdb: () => measureOnDuckdb(values.quick ? 1 : 5),
      viewers: () => measureViewers(sluice, pace),
      memory: async () => readMemory(sluice, idle),
      start: () => measureStarts(values.quick ? 1 : 5),
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
  return values.check && !lines.every(isAccepted) ? 1 : 0;
}

/** Waits half a minute after the last call, until V8 has freed the memory of earlier calls. */
async function measureIdleMiB(sluice: Sluice): Promise<number> {
  await delay(30_000);
  return readMemoryMiB(sluice.pid);
}

async function comparePages(sluice: Sluice): Promise<readonly Line[]> {
  const { early, late } = await measureLatePage(sluice);
  const remark = `${late.toFixed(1)} ms against ${early.toFixed(1)} ms`;
  return [{ what: 'page at row 990,000 to page 2', value: late / early, unit: '×', goal: { atMost: 1.2 }, remark }];
}

async function measureWalks(bare: ServerProcess, sluice: Sluice, rounds: number): Promise<readonly Line[]> {
  const ours: number[] = [];
  const keyset: number[] = [];
  const compressed: number[] = [];
  for (let round = 0; round < rounds; round++) {
    keyset.push(await walkBare(bare.url));
    ours.push(await walkSluice(sluice));
    compressed.push(await walkSluice(sluice, codings[round % codings.length]));
  }
  const ratio = median(ours.map((seconds, round) => seconds / (keyset[round] ?? Number.NaN)));
  const remark = `${median(ours).toFixed(1)} s against ${median(keyset).toFixed(1)} s`;
  return [
    { what: '1,000,000 rows in pages, to keyset pages of bare', value: ratio, unit: '×', goal: { atMost: 1 }, remark },
    {
      what: '1,000,000 rows in compressed pages, to plain ones',
      value: median(compressed.map((seconds, round) => seconds / (ours[round] ?? Number.NaN))),
      unit: '×',
      goal: { atMost: 1.25, accepted: 1.35 },
      remark: `${median(compressed).toFixed(1)} s, ${codings.join(', ')} in turn`,
    },
  ];
}

const codings = ['zstd', 'gzip', 'br'];

async function measureExports(sluice: Sluice, database: SalesDatabase, rounds: number): Promise<readonly Line[]> {
  const csv: ExportCost[] = [];
  const xlsx: ExportCost[] = [];
  const psql: number[] = [];
  for (let round = 0; round < rounds; round++) {
    if (hasPsql) psql.push(await copyByPsql(database));
    csv.push(await exportFile(sluice, 'csv', 'QD_all_Sales'));
    xlsx.push(await exportFile(sluice, 'xlsx', 'QD_tenth_Sales'));
  }
  const seconds = median(csv.map((each) => each.seconds));
  const mostMiB = Math.max(...csv.map((each) => each.memoryMiB));
  const ratio = median(csv.map((each, round) => each.seconds / (psql[round] ?? Number.NaN)));
  const against = `${seconds.toFixed(1)} s against ${median(psql).toFixed(1)} s`;
  return [
    ...(hasPsql
      ? [{ what: '1,000,000 rows to CSV, to `psql \\copy`', value: ratio, unit: '×', goal: { atMost: 1.5 }, remark: against }]
      : [{ what: '1,000,000 rows to CSV', value: seconds, unit: 's' }]),
    { what: 'memory of that above the level before it', value: mostMiB, unit: 'MiB', goal: { atMost: 150 } },
    { what: '100,000 rows to xlsx', value: median(xlsx.map((each) => each.seconds)), unit: 's' },
  ];
}

async function measureOnDuckdb(rounds: number): Promise<readonly Line[]> {
  const cost = await measureDuckdb(rounds);
  return [
    {
      what: 'DuckDB: memory of all processes before the first query',
      value: cost.beforeFirstMiB,
      unit: 'MiB',
      goal: { atMost: 260 },
    },
    { what: 'DuckDB: memory of all processes after the first query', value: cost.afterFirstMiB, unit: 'MiB' },
    { what: 'DuckDB: first call, which starts its process', value: cost.firstMs, unit: 'ms' },
    { what: 'DuckDB: time that starting its process adds to a call', value: cost.startMs, unit: 'ms' },
    { what: 'DuckDB: one row, one caller', value: cost.oneMs, unit: 'ms' },
    { what: 'DuckDB: 1000 rows, one caller', value: cost.pageMs, unit: 'ms' },
    { what: 'DuckDB: 1,000,000 rows to CSV', value: cost.csvSeconds, unit: 's' },
    { what: 'DuckDB: memory of all processes after that', value: cost.afterLastMiB, unit: 'MiB' },
    {
      what: 'DuckDB: memory of all processes when its process has ended',
      value: cost.idleMiB,
      unit: 'MiB',
      goal: { atMost: 260 },
    },
  ];
}

function readMemory(sluice: Sluice, idle: number): readonly Line[] {
  return [
    { what: 'memory when idle', value: idle, unit: 'MiB', goal: { atMost: 200 } },
    {
      what: 'peak memory above idle, after all of the above',
      value: readPeakMiB(sluice.pid) - idle,
      unit: 'MiB',
      goal: { atMost: 150 },
    },
  ];
}

async function measureStarts(rounds: number): Promise<readonly Line[]> {
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round++) seconds.push((await measureStartUp()) / 1000);
  return [{ what: 'start to first response', value: median(seconds), unit: 's', goal: { atMost: 2 } }];
}

process.exitCode = await main();
