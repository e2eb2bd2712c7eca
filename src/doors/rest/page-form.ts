import type { FastifyRequest } from 'fastify';
import type { SentParameter } from '../../catalog/parameter.ts';
import type { QueryForm } from '../../delivery/deliver.ts';
import type { PageForm } from '../../delivery/use-cases/page.ts';
import { failed, fieldInvalid, type Result, succeeded } from '../../errors.ts';
import { hasNoBody, readJson } from '../http/json-body.ts';
import { isObject, parameterList, parameterObject } from '../http/sent-parameters.ts';
import { repeatedNames } from './repeated-names.ts';

/** The body of docs/spec.md 4.1 with paging in headers. */
export function readPageForm(request: FastifyRequest): Result<PageForm> {
  const query = readQueryForm(request);
  if (!query.ok) return query;
  const paging = readPaging(request, {});
  return paging.ok ? succeeded({ ...query.value, ...paging.value }) : paging;
}

/** The same body without paging. */
export function readQueryForm(request: FastifyRequest): Result<QueryForm> {
  const body = readObject(request);
  if (!body.ok) return body;
  const queryName = body.value.QueryName;
  if (queryName === undefined || queryName === null || queryName === '')
    return failed({ kind: 'FieldMissing', field: 'QueryName' });
  if (typeof queryName !== 'string')
    return failed(fieldInvalid('QueryName', 'Expected a string, the technical name of a query.'));
  const sent = body.value.Parameters;
  if (sent === undefined || sent === null) return failed({ kind: 'FieldMissing', field: 'Parameters' });
  if (!Array.isArray(sent)) return failed(fieldInvalid('Parameters', 'Expected an array (it may be empty).'));
  const parameters = parameterList(sent, 'Parameters', { name: 'ParameterName', value: 'Value', type: 'DataType' });
  return parameters.ok ? succeeded({ queryName, parameters: parameters.value }) : parameters;
}

/**
 * The short form: the query in the path, everything else in a camelCase body, whose paging fields win over the headers. The body
 * is optional.
 */
export function readShortForm(request: FastifyRequest, queryName: string): Result<PageForm> {
  const body = hasNoBody(request) ? succeeded(nothing) : readObject(request);
  if (!body.ok) return body;
  const sent = body.value.parameters;
  const parameters = shortParameters(sent);
  if (!parameters.ok) return parameters;
  const paging = readPaging(request, body.value);
  if (!paging.ok) return paging;
  // parsing drops duplicate names of an object; add them again, so that binding rejects them like those of a list
  const lost = isObject(sent) ? repeatedNames(String(request.body), 'parameters') : [];
  const twice = parameters.value.filter((each) => lost.includes(each.ParameterName));
  return succeeded({ queryName, parameters: [...parameters.value, ...twice], ...paging.value });
}

const nothing: Readonly<Record<string, unknown>> = {};

function readObject(request: FastifyRequest): Result<Readonly<Record<string, unknown>>> {
  const body = readJson(request);
  if (!body.ok) return body;
  if (!isObject(body.value)) return failed({ kind: 'BodyInvalid', reason: 'a JSON object is expected.' });
  return succeeded(body.value);
}

function readPaging(request: FastifyRequest, body: Readonly<Record<string, unknown>>): Result<Paging> {
  const rowIndex = wholeNumber(body.rowIndex ?? request.headers.rowindex, body.rowIndex == null ? 'RowIndex' : 'rowIndex', 0);
  if (!rowIndex.ok) return rowIndex;
  const rowSize = wholeNumber(body.rowSize ?? request.headers.rowsize, body.rowSize == null ? 'RowSize' : 'rowSize', 1);
  if (!rowSize.ok) return rowSize;
  const code = body.queryMoreCode ?? request.headers.querymorecode;
  if (code != null && typeof code !== 'string')
    return failed(fieldInvalid('queryMoreCode', 'Expected the string of the previous page, or null.'));
  const paging: { -readonly [K in keyof Paging]: Paging[K] } = {};
  if (rowIndex.value !== undefined) paging.rowIndex = rowIndex.value;
  if (rowSize.value !== undefined) paging.rowSize = rowSize.value;
  if (code != null && code !== '') paging.code = code;
  if (wantsFresh(request)) paging.fresh = true;
  return succeeded(paging);
}

type Paging = Pick<PageForm, 'rowIndex' | 'rowSize' | 'code' | 'fresh'>;

const wantsFresh = ({ headers }: FastifyRequest): boolean =>
  headers['cache-control']?.split(',').some((word) => word.trim().toLowerCase() === 'no-cache') ?? false;

const absent = succeeded(undefined);

/** Decimal digits only; an empty header counts as absent. Any size is accepted: it is clamped, or past the end. */
function wholeNumber(value: unknown, field: string, min: number): Result<number | undefined> {
  if (value == null || value === '') return absent;
  const digits = typeof value === 'string' && /^\d+$/.test(value.trim());
  const number = digits || Number.isInteger(value) ? Number(value) : Number.NaN;
  if (number >= min) return succeeded(Math.min(number, Number.MAX_SAFE_INTEGER));
  return failed(fieldInvalid(field, `Expected a whole number of at least ${min}.`));
}

function shortParameters(sent: unknown): Result<readonly SentParameter[]> {
  if (sent === undefined || sent === null) return succeeded([]);
  if (Array.isArray(sent)) return parameterList(sent, 'parameters', { name: 'parameterName', value: 'value', type: 'dataType' });
  if (isObject(sent)) return parameterObject(sent);
  return failed(fieldInvalid('parameters', 'Expected an array of parameters or an object {"@Name": value}.'));
}
