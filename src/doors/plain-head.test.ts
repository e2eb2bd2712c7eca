import { expect, test } from 'vitest';
import { plainHead } from './plain-head.ts';

const FIRST = 'POST /api/v1/JsonBuilder/ExecuteQuery HTTP/1.1';
const HOST = 'Host: 127.0.0.1:8080';
const TYPE = 'Content-Type: application/json';
const LENGTH = 'Content-Length: 12';

const head = (...lines: readonly string[]): string => lines.join('\r\n');
const withLine = (line: string): string => head(FIRST, HOST, TYPE, LENGTH, line);
const withFirst = (line: string): string => head(line, HOST, TYPE, LENGTH);
const withLength = (value: string): string => head(FIRST, HOST, TYPE, `Content-Length: ${value}`);

test('reads the path, the headers by their small names, and the length of the body', () => {
  expect(plainHead(withLine('X-API-Key: slc_one:two'))).toEqual({
    path: '/api/v1/JsonBuilder/ExecuteQuery',
    headers: {
      host: '127.0.0.1:8080',
      'content-type': 'application/json',
      'content-length': '12',
      'x-api-key': 'slc_one:two',
    },
    bodyLength: 12,
  });
});

test.each([
  ['names in capitals', head(FIRST, HOST.toUpperCase(), 'CONTENT-TYPE: application/json', 'CONTENT-LENGTH: 12')],
  ['small names', head(FIRST, 'host: a', 'content-type: application/json', 'content-length: 12')],
  ['no spaces around values', head(FIRST, 'Host:a', 'Content-Type:application/json', 'Content-Length:12')],
  ['spaces and tabs around values', head(FIRST, 'Host: \t a \t', 'Content-Type:  application/json ', 'Content-Length:\t12 ')],
  ['Connection: Keep-Alive', withLine('Connection: Keep-Alive')],
  ['connection: keep-alive', withLine('connection: keep-alive')],
  ['an empty value', withLine('X-Empty:')],
  ['a tab within a value', withLine('User-Agent: a\tb')],
  ['every sign that a name may have', withLine("!#$%&'*+-.^_`|~9Az: 1")],
])('takes %s', (_what, text) => {
  expect(plainHead(text)?.bodyLength).toBe(12);
});

test.each([0, 1, 9_999_999])('takes a body of %i bytes', (bytes) => {
  expect(plainHead(withLength(String(bytes)))?.bodyLength).toBe(bytes);
});

test('leaves out the spaces around a value and keeps those within', () => {
  expect(plainHead(withLine('User-Agent: \t one  two \t'))?.headers['user-agent']).toBe('one  two');
});

test.each([
  ['nothing', ''],
  ['no headers', FIRST],
  ['GET', withFirst('GET /mcp HTTP/1.1')],
  ['a method in small letters', withFirst('post /mcp HTTP/1.1')],
  ['HTTP/1.0', withFirst('POST /mcp HTTP/1.0')],
  ['HTTP/1.10', withFirst('POST /mcp HTTP/1.10')],
  ['a version in small letters', withFirst('POST /mcp http/1.1')],
  ['no version', withFirst('POST /mcp')],
  ['a target with its host', withFirst('POST http://a/mcp HTTP/1.1')],
  ['a target that is only a host', withFirst('POST a:80 HTTP/1.1')],
  ['a target of a star', withFirst('POST * HTTP/1.1')],
  ['a query string', withFirst('POST /mcp?a=1 HTTP/1.1')],
  ['a fragment', withFirst('POST /mcp#a HTTP/1.1')],
  ['an encoded target', withFirst('POST /%6dcp HTTP/1.1')],
  ['dots in the target', withFirst('POST /a/../mcp HTTP/1.1')],
  ['two spaces in the first line', withFirst('POST  /mcp HTTP/1.1')],
  ['a tab in the first line', withFirst('POST\t/mcp HTTP/1.1')],
  ['a space behind the first line', withFirst('POST /mcp HTTP/1.1 ')],
  ['an empty line before it', `\r\n${withLine('X-One: 1')}`],
])('refuses %s', (_what, text) => {
  expect(plainHead(text)).toBeNull();
});

test.each([
  'Transfer-Encoding: chunked',
  'transfer-encoding: identity',
  'Content-Encoding: gzip',
  'Expect: 100-continue',
  'Upgrade: websocket',
  'Trailer: Date',
  'TE: trailers',
  'Origin: http://127.0.0.1:8080',
  'Cookie: sluice=1',
  'Connection: close',
  'Connection: keep-alive, close',
  'Connection: Upgrade',
  'Connection:',
  'Proxy-Connection: close',
  'Content-Length: 12', // twice, and the same
  'Content-Length: 13',
  'content-length:12',
  'Host: other',
  'Content-Type: application/json',
])('refuses a further %s', (line) => {
  expect(plainHead(withLine(line))).toBeNull();
});

test.each([
  ['no Host', head(FIRST, TYPE, LENGTH)],
  ['an empty Host', head(FIRST, 'Host:  ', TYPE, LENGTH)],
  ['no length', head(FIRST, HOST, TYPE)],
  ['no type', head(FIRST, HOST, LENGTH)],
])('refuses %s', (_what, text) => {
  expect(plainHead(text)).toBeNull();
});

test.each([
  '',
  '-1',
  '+1',
  '0x10',
  '012',
  '00',
  '1e3',
  '1.0',
  '1,1',
  '1 2',
  '1_0',
  'Infinity',
  'NaN',
  '10000000',
  '9'.repeat(400),
])('refuses a length of "%s"', (value) => {
  expect(plainHead(withLength(value))).toBeNull();
});

test.each([
  ['a folded line', 'X-One: 1\r\n two'],
  ['a line folded with a tab', 'X-One: 1\r\n\ttwo'],
  ['half a line break, CR, in a value', 'X-One: 1\rX-Two: 2'],
  ['half a line break, LF, in a value', 'X-One: 1\nX-Two: 2'],
  ['half a line break, CR, at the end', 'X-One: 1\r'],
  ['half a line break, LF, at the end', 'X-One: 1\n'],
  ['a line break the wrong way round', 'X-One: 1\n\rX-Two: 2'],
  ['an LF in a name', 'X\nOne: 1'],
  ['NUL', 'X-One: \0'],
  ['another control character', 'X-One: \x1b'],
  ['DEL', 'X-One: \x7f'],
  ['a byte above ASCII', 'X-One: \xe9'],
  ['a space that is none in ASCII', 'X-One:\xa0one'],
  ['a byte above ASCII in a name', 'X-\xe9: 1'],
  ['a space before the colon', 'X-One : 1'],
  ['a tab before the colon', 'X-One\t: 1'],
  ['a space before the name', ' X-One: 1'],
  ['a space in a name', 'X One: 1'],
  ['an empty name', ': 1'],
  ['a line without a colon', 'X-One'],
  ['an empty line', ''],
  ['a name twice', 'X-One: 1\r\nx-one: 1'],
])('refuses %s', (_what, line) => {
  expect(plainHead(withLine(line))).toBeNull();
});

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('takes %s for a name like any other', (name) => {
  const found = plainHead(withLine(`${name}: polluted`));
  expect(found?.headers[name.toLowerCase()]).toBe('polluted');
  expect(Object.getPrototypeOf(found?.headers)).toBeNull();
  expect(Object.keys({ ...found?.headers })).toContain(name.toLowerCase());
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  expect(plainHead(withLine(`${name}: 1\r\n${name}: 2`))).toBeNull();
});

test.each([
  ['spaces in a value', `X-One:${' '.repeat(8000)}`, true],
  ['spaces in the midst of a value', `X-One: a${' '.repeat(8000)}b`, true],
  ['colons in a value', `X-One:${':'.repeat(8000)}`, true],
  ['nothing but spaces', ' '.repeat(8000), false],
  ['nothing but colons', ':'.repeat(8000), false],
  ['a name without end', 'x'.repeat(8000), false],
  ['empty lines', '\r\n'.repeat(4000), false],
  ['CRs', '\r'.repeat(8000), false],
  ['a thousand headers', Array.from({ length: 1000 }, (_, at) => `x${at}: 1`).join('\r\n'), true],
])('comes to an end with %s', (_what, line, taken) => {
  expect(plainHead(withLine(line)) !== null).toBe(taken);
});
