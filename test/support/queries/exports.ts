import { parquetReadObjects } from 'hyparquet';
import { unzip } from '../results/workbook.ts';
import type { Caller, List, TestCredential } from '../services/service.ts';

export const exportFormats = ['csv', 'json', 'ndjson', 'xlsx', 'parquet'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Calls Export/ExecuteQuery and returns the `fetch` response, so that a test can read slowly or abort. */
export function startExport(
  service: { readonly url: string },
  { key }: Extract<TestCredential, { key: string }>,
  format: string,
  body: { QueryName: string; Parameters?: readonly unknown[] },
  more: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Response> {
  return fetch(`${service.url}/api/v1/Export/ExecuteQuery?format=${format}`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json', 'Accept-Encoding': 'identity', ...more.headers },
    body: JSON.stringify({ Parameters: [], ...body }),
    ...(more.signal === undefined ? {} : { signal: more.signal }),
  });
}

/** Reads to the end and discards the content. */
export async function countLines(
  body: AsyncIterable<Uint8Array> | null,
): Promise<{ lines: number; bytes: number; peak: number }> {
  const read = { lines: 0, bytes: 0, peak: 0 };
  for await (const chunk of body ?? []) {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) read.lines++;
    read.bytes += chunk.length;
    read.peak = Math.max(read.peak, process.memoryUsage.rss());
  }
  return read;
}

export interface Execution {
  readonly id: string;
  readonly query: string;
  readonly channel: string;
  readonly rows: number;
  readonly state: string;
}

export const executionsOf = async (caller: Caller): Promise<readonly Execution[]> =>
  (await caller.call<List<Execution>>('GET', '/api/v1/executions')).json.items;

type Row = Readonly<Record<string, unknown>>;

/** The rows of a file of any format: numbers, timestamps as ISO 8601, and everything else as text. */
export async function rowsOf(format: ExportFormat, bytes: Buffer): Promise<readonly Row[]> {
  switch (format) {
    case 'json':
      return toPlainRows(JSON.parse(bytes.toString()));
    case 'ndjson':
      return toPlainRows(linesOf(bytes).map((line) => JSON.parse(line)));
    case 'csv':
      return toPlainRows(csvRows(bytes.toString()));
    case 'xlsx':
      return toPlainRows(xlsxRows(bytes));
    case 'parquet':
      return toPlainRows(await parquetReadObjects({ file: exactBuffer(bytes) }));
  }
}

export const toPlainRows = (rows: readonly Row[]): readonly Row[] =>
  rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, toPlainCell(cell)])));

const linesOf = (bytes: Buffer): readonly string[] => bytes.toString().split('\n').slice(0, -1);

function toPlainCell(cell: unknown): unknown {
  if (cell === null || cell === undefined || cell === '') return null;
  if (cell instanceof Date) return cell.toISOString().replace(/(\.000)?Z$/, '');
  if (typeof cell === 'number') return Number(cell.toPrecision(15)); // the Parquet reader scales decimals as floats
  if (typeof cell === 'string' && /^-?\d+(\.\d+)?$/.test(cell)) return Number(cell);
  if (typeof cell === 'boolean') return String(cell);
  return typeof cell === 'bigint' ? Number(cell) : cell;
}

/** Parses CSV as in RFC 4180. */
export function csvCells(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  for (const line of text.matchAll(/((?:"(?:[^"]|"")*"|[^,\r"]*)(?:,(?:"(?:[^"]|"")*"|[^,\r"]*))*)\r\n/g)) {
    const cells = [...(line[1] ?? '').matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)];
    rows.push(cells.map(([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? ''));
  }
  return rows;
}

function csvRows(text: string): readonly Row[] {
  const [names = [], ...rows] = csvCells(text);
  return rows.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index]])));
}

/** The rows of the first sheet. */
function xlsxRows(bytes: Buffer): readonly Row[] {
  const sheet = unzip(bytes).get('xl/worksheets/sheet1.xml')?.toString() ?? '';
  const [names = [], ...rows] = [...sheet.matchAll(/<row[^>]*>(.*?)<\/row>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<c ([^>]*?)(?:\/>|>(.*?)<\/c>)/gs)].map(([, attributes = '', content = '']) => cellOf(attributes, content)),
  );
  return rows.map((cells) => Object.fromEntries(names.map((name, index) => [String(name), cells[index]])));
}

function cellOf(attributes: string, content: string): unknown {
  const text = /<(?:v|t)[^>]*>(.*?)<\/(?:v|t)>/s.exec(content)?.[1];
  if (text === undefined) return null;
  const type = /\bt="(\w+)"/.exec(attributes)?.[1];
  if (type === 'b') return text === '1';
  if (type === undefined || type === 'n') return Number(text);
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

/** An Excel day number as an ISO 8601 timestamp. */
export const excelMoment = (days: unknown): string =>
  new Date(Math.round((Number(days) - 25_569) * 86_400) * 1000).toISOString().slice(0, 19);

const exactBuffer = (bytes: Buffer): ArrayBuffer => new Uint8Array(bytes).buffer;
