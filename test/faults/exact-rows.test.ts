import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reportFigure } from '../support/faults/figure.ts';
import { resetPeak, mebibytes, readResidentMemory } from '../support/faults/resident-memory.ts';
import { mcpOf } from '../support/http/mcp.ts';
import { publish } from '../support/queries/publish.ts';
import { xlsxRows } from '../support/results/xlsx-rows.ts';
import { createWorkspace, type Workspace, type ServiceProcess } from '../support/services/process.ts';
import { type Caller, admin, expectStatus } from '../support/services/service.ts';

// the long form: TEST_ROWS=1000000
const ROWS = Number(process.env.TEST_ROWS ?? 30_000);
const TIMEOUT = 60_000 + ROWS / 2;
const MEMORY_OVER_IDLE = 150 * 2 ** 20; // for the long form: with few rows it means little

/** Ten columns with values that are hard to encode: digits beyond a double, NULLs, quotes, line breaks, formulas, non-Latin scripts. */
const TABLE = `create table facts as select
  i as id,
  ((i::hugeint * 1234567890123456789) % 9223372036854775807)::bigint as big,
  case when i % 11 = 0 then null else (i % 2001 - 1000)::int end as small,
  ((i * 7919 % 20000003 - 10000000) / 100)::decimal(12, 2) as amount,
  sin(i) * power(10, i % 40 - 20) as measure,
  i % 3 = 0 as flag,
  date '1950-01-01' + (i % 40000)::int as day,
  timestamp '2001-02-03 04:05:06.789' + to_milliseconds(i * 104729) as moment,
  case i % 6 when 0 then null when 1 then 'plain ' || i when 2 then '"quoted", ' || i || ';' when 3 then 'two\nlines ' || i
    when 4 then '=SUM(A' || i || ')' else 'Ünïcödé 🦫 日本 <&> ' || i end as words,
  md5(i::varchar) as code
from range(${ROWS}) t(i)`;
const types = {
  id: 'bigint',
  big: 'bigint',
  small: 'integer',
  amount: 'decimal(12, 2)',
  measure: 'double',
  flag: 'boolean',
  day: 'date',
  moment: 'timestamp',
  words: 'varchar',
  code: 'varchar',
};
const names = Object.keys(types);
const columns = `{${Object.entries(types).map(([name, type]) => `${name}: '${type}'`)}}`;
/** A checksum of the values, independent of the file format. */
const checksum = (cells: readonly string[]) => `count(*)::varchar as n, sum(hash(${cells})::hugeint)::varchar as sum`;

let workspace: Workspace;
let service: ServiceProcess;
let caller: Caller;
let queryName: string;
let key: string;
let instance: DuckDBInstance;
let duckdb: DuckDBConnection; // reads the files independently of the service
let held: unknown;
let idle: number; // resident bytes of the service
beforeAll(async () => {
  workspace = await createWorkspace();
  instance = await DuckDBInstance.create(join(workspace.files, 'facts.duckdb'));
  duckdb = await instance.connect();
  await duckdb.run(TABLE);
  held = await sums(`select ${checksum(names)} from facts`);
  duckdb.closeSync();
  instance.closeSync();
  instance = await DuckDBInstance.create(':memory:', { memory_limit: '1GB' });
  duckdb = await instance.connect();

  service = await workspace.start({ SLUICE_CSV_GUARD: 'off', SLUICE_QUERY_TIMEOUT: '300' });
  caller = service.as(admin);
  const database = { name: 'Facts', kind: 'duckdb', connection: { file: 'facts.duckdb' } };
  await expectStatus(caller.call('POST', '/api/v1/databases', database), 201);
  queryName = (await publish(caller, { name: 'Facts', database: 'Facts', sql: 'select * from facts' })).queryName;
  key = (await caller.call<{ key: string }>('POST', '/api/v1/account/api-keys', { name: 'exact' })).json.key;
  caller = service.as({ key });
  idle = readResidentMemory(service.pid).now;
}, TIMEOUT);
afterAll(async () => {
  duckdb?.closeSync();
  instance?.closeSync();
  await workspace?.remove();
});

async function sums(sql: string): Promise<unknown> {
  const [row] = (await duckdb.runAndReadAll(sql)).getRowObjects();
  return row;
}

async function exported(format: string): Promise<string> {
  const path = join(workspace.folder, `facts.${format}`);
  const response = await fetch(`${service.url}/api/v1/Export/ExecuteQuery?format=${format}`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json', 'Accept-Encoding': 'identity' },
    body: JSON.stringify({ QueryName: queryName, Parameters: [] }),
  });
  expect(response.status).toBe(200);
  await pipeline(Readable.from(response.body ?? []), createWriteStream(path));
  return path;
}

async function report(what: string, path: string, startedAt: number): Promise<void> {
  const { size } = await stat(path);
  const { peak } = readResidentMemory(service.pid);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const memory = `resident at most ${mebibytes(peak)}, idle ${mebibytes(idle)}`;
  reportFigure(5, `${ROWS} rows as ${what}: ${mebibytes(size)} in ${seconds} s; ${memory}`);
  if (process.env.TEST_ROWS !== undefined) expect.soft(peak - idle, `${what}: memory over idle`).toBeLessThan(MEMORY_OVER_IDLE);
}

test.each([
  ['csv', (path: string) => `read_csv('${path}', header = true, columns = ${columns}, max_line_size = 1000000)`],
  ['json', (path: string) => `read_json('${path}', format = 'array', columns = ${columns})`],
  ['ndjson', (path: string) => `read_json('${path}', format = 'newline_delimited', columns = ${columns})`],
  ['parquet', (path: string) => `read_parquet('${path}')`],
])('%s contains every value of the database, read by DuckDB', { timeout: TIMEOUT }, async (format, source) => {
  const startedAt = performance.now();
  resetPeak(service.pid);
  const path = await exported(format);
  await report(format, path, startedAt);
  const cells = Object.entries(types).map(([name, type]) => `${name}::${type}`);
  expect(await sums(`select ${checksum(cells)} from ${source(path)}`)).toEqual(held);
});

test('xlsx contains every value of the database, read as a spreadsheet', { timeout: 3 * TIMEOUT }, async () => {
  const startedAt = performance.now();
  resetPeak(service.pid);
  const path = await exported('xlsx');
  await report('xlsx', path, startedAt);
  const letters = names.map((_, index) => String.fromCharCode(65 + index));
  async function* lines() {
    let header = true;
    for await (const row of xlsxRows(path)) {
      if (!header) yield `${JSON.stringify(Object.fromEntries(letters.map((letter) => [letter, row.get(letter) ?? null])))}\n`;
      header = false;
    }
  }
  await pipeline(Readable.from(lines()), createWriteStream(`${path}.ndjson`));
  const [id, big, small, amount, measure, flag, day, at, words, code] = letters;
  const cells = [
    `${id}::bigint`,
    `${big}::bigint`,
    `${small}::integer`,
    `${amount}::decimal(12, 2)`,
    `${measure}::double`,
    `${flag} = '1'`,
    `date '1899-12-30' + ${day}::int`,
    `timestamp '1899-12-30' + to_milliseconds(round(${at}::double * 86400000)::bigint)`,
    words ?? '',
    code ?? '',
  ];
  const texts = `{${letters.map((letter) => `${letter}: 'varchar'`)}}`;
  const source = `read_json('${path}.ndjson', format = 'newline_delimited', columns = ${texts})`;
  expect(await sums(`select ${checksum(cells)} from ${source}`)).toEqual(held);
});

interface Piece {
  readonly rows: string; // as text: parsing would lose digits
  readonly next: string | undefined;
}

/** The text between two markers of a response, and the code after it. */
function pieceOf(text: string, head: string, tail: string, next: RegExp): Piece {
  const end = text.lastIndexOf(tail);
  return { rows: text.slice(text.lastIndexOf(head, end) + head.length, end), next: next.exec(text.slice(end))?.[1] };
}

async function page(code: string): Promise<Piece> {
  const body = { QueryName: queryName, Parameters: [] };
  const { text } = await caller.call('POST', '/api/v1/JsonBuilder/ExecuteQuery', body, { QueryMoreCode: code });
  return pieceOf(text, '{"Data":[', '],"RowSize":', /"QueryMoreCode":(?:"([^"]+)"|null)\}$/);
}

async function chunk(token: string): Promise<Piece> {
  const mcp = mcpOf(service, key);
  const result =
    token === '' ? mcp.call('start_stream', { queryName, chunkSize: 500 }) : mcp.call('resume_stream', { streamToken: token });
  return pieceOf((await result).text, '"structuredContent":{"Data":[', '],"chunkIndex":', /"streamToken":(?:"([^"]+)"|null)\}/);
}

test.each([
  ['pages', page],
  ['a stream', chunk],
])('%s contain every value of the database', { timeout: 2 * TIMEOUT }, async (what, take) => {
  const startedAt = performance.now();
  resetPeak(service.pid);
  const path = join(workspace.folder, 'pieces.ndjson');
  async function* pieces() {
    for (let code = ''; ;) {
      const { rows, next } = await take(code);
      yield `${rows.replaceAll('},{"id":', '}\n{"id":')}\n`;
      if (next === undefined) return;
      code = next;
    }
  }
  await pipeline(Readable.from(pieces()), createWriteStream(path));
  await report(what, path, startedAt);
  const source = `read_json('${path}', format = 'newline_delimited', columns = ${columns})`;
  expect(await sums(`select ${checksum(names)} from ${source}`)).toEqual(held);
});
