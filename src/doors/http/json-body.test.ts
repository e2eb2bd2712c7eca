import { describe, expect, it } from 'vitest';
import { readInjected } from '../../../test/support/http/request-of.ts';
import { explain } from '../../core/errors.ts';
import { readJson } from './json-body.ts';

const read = (payload: string | Buffer, type = 'application/json') =>
  readInjected(readJson, { payload, headers: { 'content-type': type } });
const value = async (payload: string | Buffer) => {
  const result = await read(payload);
  if (!result.ok) throw new Error(explain(result.failure, ''));
  return result.value;
};
const refusal = async (payload: string | Buffer) => {
  const result = await read(payload);
  if (result.ok) throw new Error('it was accepted');
  return explain(result.failure, '');
};

it.each(['application/json', 'text/json', 'application/problem+json', 'Application/Vnd.Api+JSON; charset=utf-8', undefined])(
  'accepts %s where no cookie is used',
  async (type) => {
    const headers = type === undefined ? {} : { 'content-type': type };
    const result = await readInjected((request) => readJson(request, 'any json'), { payload: Buffer.from('{}'), headers });
    expect(result).toEqual({ ok: true, value: {} });
  },
);

it.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'text/problem+json',
  'application/json+x',
  'application/json; charset=utf-16',
])('never accepts %s', async (type) => {
  const result = await readInjected((request) => readJson(request, 'any json'), {
    payload: '{}',
    headers: { 'content-type': type },
  });
  expect(result).toMatchObject({ failure: { kind: 'MediaTypeUnsupported' } });
});

describe('the content type', () => {
  it.each(['application/json', 'APPLICATION/JSON', 'application/json; charset=utf-8', ' application/json ;charset="utf-8"'])(
    'may be %j',
    async (type) => {
      expect(await read('{}', type)).toEqual({ ok: true, value: {} });
    },
  );

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'application/problem+json',
    'multipart/form-data; boundary=x',
  ])('may not be %j', async (type) => {
    expect(await read('{}', type)).toMatchObject({ failure: { kind: 'MediaTypeUnsupported' } });
  });

  it('is required, even without a body', async () => {
    expect(await readInjected(readJson, {})).toMatchObject({ failure: { kind: 'MediaTypeUnsupported' } });
    expect(await readInjected(readJson, { headers: { 'content-type': 'application/json' } })).toMatchObject({
      failure: { kind: 'BodyInvalid' },
    });
  });
});

describe('a number that is the value of a parameter', () => {
  it.each(['12345678901234567890', '0.1000000000000000055511151231257827', '1e400', '-0', '1E+2', '1.50'])(
    'keeps all its digits: %s',
    async (digits) => {
      expect(await value(`{"Parameters":[{"Value":${digits}},{"value":${digits}}],"parameters":{"@N":${digits}}}`)).toEqual({
        Parameters: [{ Value: digits }, { value: digits }],
        parameters: { '@N': digits },
      });
    },
  );

  it('is the only kind of number that becomes text', async () => {
    const body = '{"rowSize":10,"Value":[1,{"x":2}],"value":true,"@N":null,"Value2":3}';
    expect(await value(body)).toEqual({ rowSize: 10, Value: [1, { x: 2 }], value: true, '@N': null, Value2: 3 });
  });
});

describe('a body', () => {
  it('may begin with a byte order mark', async () => {
    expect(await value(Buffer.from('\ufeff{"a":1}'))).toEqual({ a: 1 });
  });

  it('must be UTF-8', async () => {
    expect(await refusal(Buffer.from('{"a":"\xe4"}', 'latin1'))).toContain('UTF-8');
    expect(await refusal(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toContain('UTF-8'); // lone surrogate
  });

  it('may contain escaped lone surrogates and NUL', async () => {
    expect(await value('{"a":"\\ud800","b":"\\u0000"}')).toEqual({ a: '\ud800', b: '\0' });
  });

  it.each([
    ['{"a":1,"a":2}', ['a']],
    ['{"parameters":{"@A":1,"\\u0040A":2,"@B":"x","@B":null,"@B":3}}', ['@A', '@B']],
    ['[{"a":{"x":1,"y":2,"x":[{"z":1,"z":2}]}}]', ['x', 'z']],
    ['{"__proto__":1,"__proto__":2}', ['__proto__']],
  ])('may not repeat a name: %s', async (text, names) => {
    const result = await read(text);
    expect(result).toMatchObject({ failure: { problems: names.map((field) => ({ field })) } });
  });

  it('may have the same name in several objects, and colons in strings', async () => {
    const text = '{"a":{"a":":","b":"\\":{"},"b":[{"a":1},{"a":1.0}]}';
    expect(await value(text)).toEqual({ a: { a: ':', b: '":{' }, b: [{ a: 1 }, { a: 1 }] });
  });

  it('does not change prototypes', async () => {
    const poisoned = await value('{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}');
    expect(Object.keys(poisoned as object)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(poisoned)).toBe(Object.prototype);
    expect(Reflect.get({}, 'admin')).toBeUndefined();
  });

  it('may nest up to twenty levels, not counting brackets in strings', async () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(await value(nested(20))).toBeInstanceOf(Array);
    expect(await refusal(nested(21))).toContain('deeper than 20');
    expect(await refusal('[{"a":'.repeat(100_000))).toContain('deeper than 20');
    expect(await value(JSON.stringify({ a: `\\"${'[{'.repeat(50)}` }))).toEqual({ a: `\\"${'[{'.repeat(50)}` });
  });

  it.each([
    '{',
    '{"a":}',
    '[1,]',
    "{'a':1}",
    '{"password":"hunter2" x}',
    'hunter2',
    '{"a":1}{"hunter2":1}',
    '"hunter2',
    'NaN',
    '01',
  ])('that is not JSON is rejected without being quoted: %s', async (text) => {
    const said = await refusal(text);
    expect(said).toContain('it is not JSON (');
    expect(said).not.toContain('hunter2');
  });
});
