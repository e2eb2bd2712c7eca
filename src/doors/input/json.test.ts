import { describe, expect, it } from 'vitest';
import { mainThreadMs } from '../../../test/support/faults/thread-time.ts';
import { readInjected } from '../../../test/support/http/request-of.ts';
import { explain } from '../../core/explain.ts';
import { parseJson, readJson } from './json.ts';

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

  it('keeps the digits that JavaScript would round among the arguments of a message, and nothing else there', () => {
    const text = (name: string) => `{"${name}":{"Id":9007199254740993,"Ids":[-9007199254740993],"rowSize":100.0,"Least":1e2}}`;
    const kept = { Id: '9007199254740993', Ids: ['-9007199254740993'], rowSize: 100, Least: 100 };
    for (const name of ['arguments', 'content'])
      expect(parseJson(text(name), { isMessage: true })).toEqual({ ok: true, value: { [name]: kept } });
    for (const [name, isMessage] of [
      ['arguments', false],
      ['_meta', true],
    ] as const)
      expect(parseJson(text(name), { isMessage })).toEqual({ ok: true, value: JSON.parse(text(name)) });
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

const parsedValue = (text: string, isParameters = false) => {
  const result = parseJson(text, { isParameters });
  if (!result.ok) throw new Error(explain(result.failure, ''));
  return result.value;
};

describe('the digits of a number', () => {
  it('are kept in parameter values only, at any depth of the body', () => {
    const text = '{"params":{"arguments":{"Parameters":[{"Value":-0},{"VALUE":[1e5,2,"x",1.50]}],"rowSize":1e2}},"a":-0}';
    expect(parsedValue(text)).toEqual({
      params: { arguments: { Parameters: [{ Value: '-0' }, { VALUE: ['1e5', 2, 'x', '1.50'] }], rowSize: 100 } },
      a: -0,
    });
  });

  it('are kept in objects of values, also with escaped names', () => {
    expect(parsedValue('{"parameters":{"N":1.0},"\\u0076alues":{"M":[-7]},"\\u0040A":1E3,"b":{"c":1.0}}')).toEqual({
      parameters: { N: '1.0' },
      values: { M: ['-7'] },
      '@A': '1E3',
      b: { c: 1 },
    });
    expect(parsedValue('{"N":12345678901234567890}', true)).toEqual({ N: '12345678901234567890' });
  });

  it('do not make JSON of what is none', () => {
    for (const number of [
      '01',
      '-',
      '-01',
      '1.',
      '.5',
      '1e',
      '1e+',
      '+1',
      '1.5.2',
      '-0x',
      '0x10',
      '1 2',
      '--1',
      '1-',
      'NaN',
      '1_0',
    ]) {
      for (const text of [`{"Value":${number}}`, `{"Value":[${number}]}`, `{"@A":1,${number}:2}`, `[{"@A":{},-0:1}]`])
        expect(parseJson(text), text).toMatchObject({ ok: false, failure: { kind: 'BodyInvalid' } });
    }
  });
});

it('accepts and rejects the same texts as JSON.parse, with the same values', () => {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"Value"',
    '"@A"',
    '"a"',
    '"\\"',
    '"\\u0041"',
    '-0',
    '1.50',
    '1e5',
    '7',
    'true',
    ' ',
    '"',
  ];
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const starts = ['', '{"Value":', '[', '{"@A":[', '{"a":1,'];
  let valid = 0;
  for (let n = 0; n < 10_000; n++) {
    let text = starts[random(starts.length)] ?? '';
    for (let length = random(6); length >= 0; length--) text += pieces[random(pieces.length)];
    const parsed = parseJson(text);
    const expected = plainlyParsed(text);
    const isRepeated = !parsed.ok && parsed.failure.kind !== 'BodyInvalid';
    expect(parsed.ok || isRepeated, text).toBe(expected !== undefined);
    if (!parsed.ok) continue;
    expect(numbersAsTexts(parsed.value), text).toEqual(numbersAsTexts(expected?.value));
    valid++;
  }
  expect(valid).toBeGreaterThan(100);
});

function plainlyParsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** The values as numbers: 1.50 and "1.50" are the same. */
const numbersAsTexts = (given: unknown): unknown =>
  JSON.parse(JSON.stringify(given ?? null), (_key, each) =>
    typeof each === 'string' && /^-?\d/.test(each) ? Number(each) + 0 : each,
  );

describe('hostile texts as long as eight bodies', () => {
  const SIZE = 2 << 20;
  const filled = (item: (index: number) => string, start: string, end: string): string => {
    let text = start;
    for (let index = 0; text.length < SIZE; index++) text += `${index === 0 ? '' : ','}${item(index)}`;
    return Buffer.from(text + end).toString();
  };
  const texts: Readonly<Record<string, string>> = {
    'negative zeros': filled(() => '-0', '[', ']'),
    'negative zeros as values': filled(() => '-0', '{"Value":[', ']}'),
    'exponents as values': filled(() => '1e5', '{"Value":[', ']}'),
    'long numbers as values': filled(() => '1234567890.12', '{"@A":[', ']}'),
    'values of as many parameters': filled((index) => `"@${index}":-0`, '{"parameters":{', '}}'),
    names: filled((index) => `"k${index}":1`, '{', '}'),
    'escaped names': filled((index) => `"\\u0041${index}":1`, '{', '}'),
    'a name again and again': filled(() => '"a":1', '{', '}'),
    'names, each twice': filled((index) => `"k${index >> 1}":1`, '{', '}'),
    'objects with a name each': filled((index) => `{"k${index}":1}`, '[', ']'),
    'empty objects': filled(() => '{}', '[', ']'),
    'nested lists': filled(() => '['.repeat(19) + ']'.repeat(19), '[', ']'),
    'nested objects': filled(() => `${'{"a":'.repeat(18)}0${'}'.repeat(18)}`, '[', ']'),
    'short strings': filled(() => '""', '[', ']'),
    escapes: filled(() => '\\n\\"\\\\'.repeat(1000), '["', '"]').replaceAll('\\\\,', '\\\\'),
    'numbers that end in the middle': '[-0,'.concat('-0,'.repeat(640_000)),
  };

  it.each(Object.entries(texts))('are parsed in linear time: %s', (_name, text) => {
    const before = mainThreadMs(process.pid);
    parseJson(text);
    expect(mainThreadMs(process.pid) - before).toBeLessThan(10_000); // comparing each part with each other would take minutes
  });

  it('are refused where callers are not authenticated yet and there are too many parts', () => {
    for (const name of ['names', 'empty objects', 'nested lists', 'negative zeros as values']) {
      const result = parseJson(texts[name] ?? '', { maxParts: 10_000 });
      expect(result, name).toMatchObject({ ok: false, failure: { reason: expect.stringContaining('more than 10000 objects') } });
    }
    expect(parseJson(texts['negative zeros'] ?? '', { maxParts: 10_000 }).ok).toBe(true);
  });
});
