import type { FastifyRequest } from 'fastify';
import type { SentParameter } from '../../catalog/parameter.ts';
import { fieldInvalid, mapResult, type Result, succeeded } from '../../core/errors.ts';
import type { Page, PageForm } from '../../pipeline/use-cases/page.ts';
import { freeBytes } from '../../results/byte-writer.ts';
import { anyCredential, bodyFailures, credentialFailures, runFailures } from '../http/operation.ts';
import { refuseForm } from '../input/fields.ts';
import { type JsonTypes, readJsonObject } from '../input/json.ts';
import { pageTable, pagingHeaders, shortTable } from '../wire/page-fields.ts';

/** What all operations that run a query and return rows have in common. */
export const executionOperation = {
  tag: 'Execution',
  credentials: anyCredential,
  headers: pagingHeaders,
  failures: [
    ...credentialFailures,
    ...bodyFailures,
    ...runFailures,
    'OriginNotAllowed',
    'ContinuationInvalid',
    'ContinuationExpired',
    'ContinuationForeign',
  ],
} as const;

/** The address under which the current version of a query runs. */
export const executeAddress =
  (baseUrl: () => string) =>
  (queryName: string): string =>
    `${baseUrl()}/api/query/execute/${queryName}`;

/** The body of docs/spec.md 4.1; paging is also read from the query string and the headers. */
export function readPageForm(request: FastifyRequest, types: JsonTypes): Result<PageForm> {
  const body = readJsonObject(request, types);
  if (!body.ok) return body;
  const read = pageTable.read({ body: body.value, query: request.query, headers: request.headers });
  if (!read.ok) {
    const { QueryName: queryName, Parameters: parameters, QueryMoreCode: sentCode } = read.partly;
    return refuseForm(read.failure, { queryName, parameters, code: sentCode });
  }
  const { QueryName, Parameters, RowIndex, RowSize, QueryMoreCode } = read.value;
  return succeeded(toPageForm(request, QueryName, Parameters, { rowIndex: RowIndex, rowSize: RowSize, code: QueryMoreCode }));
}

/** The same, for a response with classified columns. */
export function readChartForm(request: FastifyRequest, types: JsonTypes): Result<PageForm> {
  return mapResult(readPageForm(request, types), (form) => ({ ...form, classified: true }));
}

const OTHER_QUERY = 'It names another query than the path does. Leave it out.';

/** The short form: the query in the path, everything else in an optional body. */
export function readShortForm(request: FastifyRequest, types: JsonTypes, queryName: string): Result<PageForm> {
  const body = readJsonObject(request, types, true);
  if (!body.ok) return body;
  const read = shortTable.read({ body: body.value, query: request.query, headers: request.headers });
  if (!read.ok)
    return refuseForm(read.failure, { queryName, parameters: read.partly.parameters, code: read.partly.queryMoreCode });
  const { queryName: repeated = queryName, parameters = [], rowIndex, rowSize, queryMoreCode } = read.value;
  if (repeated.toLowerCase() !== queryName.toLowerCase())
    return refuseForm(fieldInvalid('queryName', OTHER_QUERY), { queryName, parameters, code: queryMoreCode });
  return succeeded(toPageForm(request, queryName, parameters, { rowIndex, rowSize, code: queryMoreCode }));
}

interface Paging {
  readonly rowIndex: number | undefined;
  readonly rowSize: number | undefined;
  readonly code: string | undefined;
}

function toPageForm(
  request: FastifyRequest,
  queryName: string,
  parameters: readonly SentParameter[],
  { rowIndex, rowSize, code }: Paging,
): PageForm {
  const paging = { rowIndex, rowSize, fresh: wantsFresh(request) || undefined };
  if (code) return { continue: code, kind: 'page', query: { queryName }, parameters, ...paging };
  return { run: { queryName }, parameters, ...paging };
}

export const wantsFresh = ({ headers }: FastifyRequest): boolean =>
  headers['cache-control']?.split(',').some((word) => word.trim().toLowerCase() === 'no-cache') ?? false;

/** The rows are already encoded; only the envelope is written here. */
export interface PageResponse {
  readonly head: string;
  readonly rows: Buffer;
  readonly ownsRows: boolean;
  readonly tail: string;
}

export const pageResponse = (page: Page): PageResponse => ({
  head: '{"Data":[',
  rows: page.rows,
  ownsRows: page.ownsRows,
  tail: `],"RowSize":${page.rowSize},"NextRowIndex":${page.nextRowIndex},"QueryMoreCode":${JSON.stringify(page.code)}}`,
});

export function chartResponse(page: Page): PageResponse {
  const columns = page.columns.map(({ label, class: columnClass }) => ({ Name: label, Type: columnClass }));
  return { ...pageResponse(page), head: `{"Columns":${JSON.stringify(columns)},"Data":[` };
}

export const toShortResponse = (page: Page): PageResponse => ({
  ...pageResponse(page),
  head: '{"data":[',
  tail: `],"rowSize":${page.rowSize},"nextRowIndex":${page.nextRowIndex},"queryMoreCode":${JSON.stringify(page.code)}}`,
});

/** Frees the rows if the response owns them. */
export function bytesOf({ head, rows, ownsRows, tail }: PageResponse): Buffer {
  const bytes = Buffer.concat([Buffer.from(head), rows, Buffer.from(tail)]);
  if (ownsRows) freeBytes(rows);
  return bytes;
}

const SHORT = 4096;

/** Short responses are sent as text, in one packet with the headers. */
export const bodyOf = (response: PageResponse): string | Buffer =>
  response.rows.length < SHORT ? response.head + response.rows.toString('utf8') + response.tail : bytesOf(response);
