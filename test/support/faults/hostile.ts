import { gzipSync } from 'node:zlib';
import type { Random } from './random.ts';

/** A generated hostile request. */
export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** A route of the OpenAPI document. */
export interface FuzzedRoute {
  readonly method: string;
  readonly path: string;
  readonly fields: readonly string[]; // fields of its body
  readonly queries: readonly string[];
}

export interface Known {
  readonly credentials: readonly Record<string, string>[];
  readonly ids: readonly string[]; // of existing objects
}

export function createHostileRequest(random: Random, route: FuzzedRoute, { credentials, ids }: Known): HostileRequest {
  const path = route.path.replace(/\{[^}]+\}/g, () => random.pick(random.maybe(0.6) ? ids : pathWords));
  const query = route.queries.filter(() => random.maybe(0.4)).map((name) => `${name}=${random.pick(queryWords)}`);
  const takesBody = !['GET', 'HEAD'].includes(route.method);
  const body = takesBody && random.maybe(0.95) ? createHostileBody(random, route.fields) : undefined;
  return {
    method: random.maybe(0.03) ? random.pick(['OPTIONS', 'HEAD', 'TRACE', 'PROPFIND', 'PUT']) : route.method,
    path: query.length === 0 ? path : `${path}?${query.join('&')}`,
    headers: { ...random.pick(credentials), ...contentType(random), ...createOddHeaders(random), ...body?.headers },
    body: body?.bytes,
  };
}

function createHostileBody(random: Random, fields: readonly string[]): { bytes: Buffer; headers: Record<string, string> } {
  if (random.maybe(0.2)) {
    const { bytes, headers = {} } = random.pick(rawBodies)();
    return { bytes, headers };
  }
  const names = [...fields.filter(() => random.maybe(0.8)), ...(random.maybe(0.2) ? [random.pick(oddNames)] : [])];
  const members = names.map((name) => `${JSON.stringify(name)}:${fieldValue(random, name)}`);
  return { bytes: Buffer.from(`{${members.join(',')}}`), headers: {} };
}

/** JSON text, for numbers that JavaScript cannot represent. */
function fieldValue(random: Random, name: string): string {
  // only the local host: no request may reach another machine
  if (/host/i.test(name)) return random.pick(['"127.0.0.1"', '1', 'null', '{}', '[]']);
  const usual = usualValues[name];
  if (usual !== undefined && random.maybe(0.6)) return usual;
  if (random.maybe(0.35)) return random.pick(plausibleValues);
  return random.pick(hostileValues);
}

function contentType(random: Random): Record<string, string> {
  return { 'Content-Type': random.maybe(0.85) ? 'application/json' : random.pick(contentTypes) };
}

function createOddHeaders(random: Random): Record<string, string> {
  const odd: Record<string, string> = {};
  for (const [name, values] of Object.entries(headerValues)) if (random.maybe(0.15)) odd[name] = random.pick(values);
  return odd;
}

const nest = (open: string, close: string, depth: number): Buffer => Buffer.from(open.repeat(depth) + close.repeat(depth));

export const rawBodies: readonly (() => { bytes: Buffer; headers?: Record<string, string> })[] = [
  () => ({ bytes: Buffer.alloc(0) }),
  () => ({ bytes: nest('[', ']', 10_000) }),
  () => ({ bytes: Buffer.from(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`) }),
  () => ({ bytes: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0xc0, 0x80, 0x22, 0x3a, 0x31, 0x7d]) }),
  () => ({ bytes: gzipSync('{"QueryName":"x","Parameters":[]}'), headers: { 'Content-Encoding': 'gzip' } }),
  () => ({ bytes: gzipSync(Buffer.alloc(200_000)), headers: { 'Content-Encoding': 'gzip' } }),
  () => ({ bytes: Buffer.from('{"QueryName":') }),
  () => ({ bytes: Buffer.from('\u{feff}{}') }),
  () => ({ bytes: Buffer.from('{"__proto__":{"permissions":["users.manage"]},"constructor":{"prototype":{"x":1}}}') }),
  () => ({ bytes: Buffer.from('{"QueryName":"a","QueryName":"b","Parameters":[],"Parameters":{}}') }),
  () => ({ bytes: Buffer.from('null') }),
  () => ({ bytes: Buffer.from('"text"') }),
  () => ({ bytes: Buffer.from('[{},{}]') }),
  () => ({ bytes: Buffer.from('\0\0\0\0') }),
  () => ({ bytes: Buffer.from(`{"name":"${'x'.repeat(300_000)}"}`) }),
  () => ({ bytes: Buffer.from(`{${Array.from({ length: 20_000 }, (_, index) => `"f${index}":1`).join(',')}}`) }),
];

const oddNames = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', '\0', '@', 'id', 'version', 'a.b', '0'];

/** JSON text of values that are valid for some field, so that the other fields are checked as well. */
const plausibleValues = [
  '"Demo"',
  '"duckdb"',
  '"select 1 as n"',
  '"admin"',
  '[]',
  '{}',
  'true',
  '1',
  '"@Name"',
  '["*"]',
  '"int"',
];

/** Valid values by field: a request with one invalid field passes more checks than one with ten. */
const usualValues: Readonly<Record<string, string>> = {
  name: '"Fuzzed"',
  database: '"Demo"',
  sql: '"select @a as n"',
  kind: '"duckdb"',
  connection: '{"file":"../data/metadata.sqlite"}',
  parameters: '[{"name":"@a","dataType":"int","required":true}]',
  values: '{"@a":"\\u0000"}',
  username: '"fuzzed"',
  password: '"a password of the fuzz"',
  permissions: '["queries.run"]',
  roles: '[]',
  databases: '[]',
  QueryName: '"QD_Best_sellers_Demo"',
  Parameters: '[{"ParameterName":"@Top","Value":"\\u0000","DataType":"int"}]',
};

export const hostileValues = [
  'null',
  'true',
  '-1',
  '0.5',
  '1e308',
  '1e999',
  '-1e999',
  '12345678901234567890123456789',
  '""',
  '" "',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\u202e\\ufeff"',
  `"${'x'.repeat(5_000)}"`,
  `"${'é'.repeat(40_000)}"`,
  '"../../../../etc/passwd"',
  '"/etc/passwd"',
  `"'; drop table users; --"`,
  '"{{7*7}}<%= 7*7 %>"',
  '"<script>alert(1)</script>"',
  '"NaN"',
  '"9999-99-99"',
  '"+275760-09-13T00:00:00.001Z"',
  '[]',
  '[null]',
  '[[[[[]]]]]',
  '[1,"a",{}]',
  '{}',
  '{"__proto__":{"admin":true}}',
  '{"length":1e9}',
  '{"toString":1}',
  '[{"name":null,"dataType":{},"ParameterName":[],"Value":{}}]',
  '[{"ParameterName":"@x","Value":"1","DataType":"decimal(999999999,999999999)"}]',
  '[{"ParameterName":"@x","Value":1e400,"DataType":"int"},{"ParameterName":"@x","Value":null}]',
  `[${Array(500).fill('{"ParameterName":"@x","Value":"1"}').join(',')}]`,
];

const pathWords = [
  '1',
  '-1',
  '%00',
  '%E0%A4%A',
  '..',
  '%2e%2e%2f',
  'x'.repeat(900),
  '__proto__',
  "'%20or%201=1--",
  'null',
  '%F0%9F%92%A9',
];

const queryWords = [
  '',
  '0',
  '-1',
  '1e9',
  '999999999999999999999',
  'abc',
  '%00',
  '%E0%A4%A',
  '%ff%fe',
  'x'.repeat(2_000),
  '[]',
  "'--",
  'json',
];

const contentTypes = [
  '',
  'text/plain',
  'application/json; charset=utf-16',
  'application/xml',
  'multipart/form-data',
  'x',
  '*/*',
  '/',
];

const headerValues: Readonly<Record<string, readonly string[]>> = {
  RowIndex: ['-1', '1e3', '99999999999999999999', 'NaN', '0x10', ' ', '1,2', '\u00b2'],
  RowSize: ['0', '-5', '1e3', '99999999999999999999', 'all', '1.5'],
  QueryMoreCode: ['x', 'x'.repeat(5_000), 'eyJhbGciOiJub25lIn0..', '%00', 'AAAA.BBBB'],
  'If-Match': ['*', '"x"', '"99999999999999999999"', 'W/"1', '1, 2'],
  Cookie: ['sluice_session=%E0%A4%A', 'sluice_session=', '=;=;', 'sluice_session="a"', `a=${'b'.repeat(3_000)}`],
  Origin: ['null', 'http://evil.example', 'x', 'http://[::1'],
  Host: ['evil.example', '127.0.0.1:99999', '[', 'a b'],
  'X-Forwarded-For': ['1.2.3.4, 5.6.7.8', 'x', "';--"],
  'User-Agent': ['x'.repeat(4_000), '\u00ff\u00fe'],
  Accept: ['', 'application/xml', ';q='],
};
