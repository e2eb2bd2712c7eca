import type { FastifyRequest } from 'fastify';
import type { SentParameter } from '../../catalog/parameter.ts';
import type { QueryForm } from '../../delivery/deliver.ts';
import type { PageForm } from '../../delivery/use-cases/page.ts';
import { type Failure, failed, fieldInvalid, parameterInvalid, type Result, succeeded } from '../../errors.ts';
import { readJson } from '../json-body.ts';

/** The body of spec 4.1 with paging in headers. */
export function readPageForm(request: FastifyRequest): Result<PageForm> {
  const query = readQueryForm(request);
  if (!query.ok) return query;
  const paging = readPaging(request, {});
  return paging.ok ? succeeded({ ...query.value, ...paging.value }) : paging;
}

/** That body alone. */
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
  const parameters = sentParameters(sent, 'Parameters', { name: 'ParameterName', value: 'Value', type: 'DataType' });
  return parameters.ok ? succeeded({ queryName, parameters: parameters.value }) : parameters;
}

/** The second form: the query in the path, everything else in a camelCase body, whose paging fields win over the headers. */
export function readShortForm(request: FastifyRequest, queryName: string): Result<PageForm> {
  const body = readObject(request);
  if (!body.ok) return body;
  const sent = body.value.parameters;
  const parameters = shortParameters(sent);
  if (!parameters.ok) return parameters;
  const paging = readPaging(request, body.value);
  return paging.ok ? succeeded({ queryName, parameters: parameters.value, ...paging.value }) : paging;
}

function readObject(request: FastifyRequest): Result<Readonly<Record<string, unknown>>> {
  const body = readJson(request);
  if (!body.ok) return body;
  if (!isObject(body.value)) return failed({ kind: 'BodyInvalid', reason: 'a JSON object is expected.' });
  return succeeded(body.value);
}

function readPaging(
  request: FastifyRequest,
  body: Readonly<Record<string, unknown>>,
): Result<Pick<PageForm, 'rowIndex' | 'rowSize' | 'code'>> {
  const rowIndex = wholeNumber(body.rowIndex ?? request.headers.rowindex, body.rowIndex == null ? 'RowIndex' : 'rowIndex', 0);
  if (!rowIndex.ok) return rowIndex;
  const rowSize = wholeNumber(body.rowSize ?? request.headers.rowsize, body.rowSize == null ? 'RowSize' : 'rowSize', 1);
  if (!rowSize.ok) return rowSize;
  const code = body.queryMoreCode ?? request.headers.querymorecode;
  if (code != null && typeof code !== 'string')
    return failed(fieldInvalid('queryMoreCode', 'Expected the string of the page before, or null.'));
  return succeeded({
    ...(rowIndex.value === undefined ? {} : { rowIndex: rowIndex.value }),
    ...(rowSize.value === undefined ? {} : { rowSize: rowSize.value }),
    ...(code == null || code === '' ? {} : { code }),
  });
}

/** Decimal digits only; an empty header counts as absent. However large, a number is one: it is clamped, or past the end. */
function wholeNumber(value: unknown, field: string, least: number): Result<number | undefined> {
  if (value == null || value === '') return succeeded(undefined);
  const digits = typeof value === 'string' && /^\d+$/.test(value.trim());
  const number = digits || Number.isInteger(value) ? Number(value) : Number.NaN;
  if (number >= least) return succeeded(Math.min(number, Number.MAX_SAFE_INTEGER));
  return failed(fieldInvalid(field, `Expected a whole number of at least ${least}.`));
}

function shortParameters(sent: unknown): Result<readonly SentParameter[]> {
  if (sent === undefined || sent === null) return succeeded([]);
  if (Array.isArray(sent)) return sentParameters(sent, 'parameters', { name: 'parameterName', value: 'value', type: 'dataType' });
  if (!isObject(sent))
    return failed(fieldInvalid('parameters', 'Expected an array of parameters or an object {"@Name": value}.'));
  return collect(Object.entries(sent), ([name, value]) => sentParameter(name, value, undefined));
}

interface FieldNames {
  readonly name: string;
  readonly value: string;
  readonly type: string;
}

function sentParameters(sent: readonly unknown[], field: string, names: FieldNames): Result<readonly SentParameter[]> {
  return collect([...sent.entries()], ([index, each]) => {
    const path = `${field}.${index}`;
    if (!isObject(each))
      return failed(fieldInvalid(path, `Expected an object with ${names.name}, ${names.value} and ${names.type}.`));
    const name = each[names.name];
    if (name === undefined || name === null) return failed({ kind: 'FieldMissing', field: `${path}.${names.name}` });
    if (typeof name !== 'string') return failed(fieldInvalid(`${path}.${names.name}`, 'Expected a string such as "@Region".'));
    const type = each[names.type];
    if (type != null && typeof type !== 'string')
      return failed(parameterInvalid(name, `${names.type} is a string such as "nvarchar".`));
    return sentParameter(name, each[names.value], type ?? undefined);
  });
}

/** Values are text; numbers and booleans are taken as theirs. */
function sentParameter(ParameterName: string, value: unknown, DataType: string | undefined): Result<SentParameter> {
  if (value === undefined || value === null || typeof value === 'string')
    return succeeded({ ParameterName, Value: value, DataType });
  if (typeof value === 'number' || typeof value === 'boolean')
    return succeeded({ ParameterName, Value: String(value), DataType });
  return failed(parameterInvalid(ParameterName, 'The value is a string, a number, a boolean or null.'));
}

function collect<From, To>(from: readonly From[], read: (each: From) => Result<To>): Result<readonly To[]> {
  const values: To[] = [];
  for (const each of from) {
    const result = read(each);
    if (!result.ok) return failed(result.failure satisfies Failure);
    values.push(result.value);
  }
  return succeeded(values);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
