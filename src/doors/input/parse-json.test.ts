import { describe, expect, it } from 'vitest';
import { explain } from '../../core/errors.ts';
import { parseJson } from './parse-json.ts';

const value = (text: string, isParameters = false) => {
  const result = parseJson(text, { isParameters });
  if (!result.ok) throw new Error(explain(result.failure, ''));
  return result.value;
};

describe('the digits of a number', () => {
  it('are kept in parameter values only, at any depth of the body', () => {
    const text = '{"params":{"arguments":{"Parameters":[{"Value":-0},{"VALUE":[1e5,2,"x",1.50]}],"rowSize":1e2}},"a":-0}';
    expect(value(text)).toEqual({
      params: { arguments: { Parameters: [{ Value: '-0' }, { VALUE: ['1e5', 2, 'x', '1.50'] }], rowSize: 100 } },
      a: -0,
    });
  });

  it('are kept in objects of values, also with escaped names', () => {
    expect(value('{"parameters":{"N":1.0},"\\u0076alues":{"M":[-7]},"\\u0040A":1E3,"b":{"c":1.0}}')).toEqual({
      parameters: { N: '1.0' },
      values: { M: ['-7'] },
      '@A': '1E3',
      b: { c: 1 },
    });
    expect(value('{"N":12345678901234567890}', true)).toEqual({ N: '12345678901234567890' });
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

describe('hostile texts of the size of a body', () => {
  const SIZE = 249 << 10;
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
    'numbers that end in the middle': '[-0,'.concat('-0,'.repeat(80_000)),
  };

  it.each(Object.entries(texts))('take at most five times as long as JSON.parse: %s', (_name, text) => {
    const plain = meanMs(() => plainlyParsed(text));
    const own = meanMs(() => parseJson(text));
    expect(own).toBeLessThan(5 * plain + 5);
  });

  it('are refused where callers are not authenticated yet and there are too many parts', () => {
    for (const name of ['names', 'empty objects', 'nested lists', 'negative zeros as values']) {
      const result = parseJson(texts[name] ?? '', { maxParts: 10_000 });
      expect(result, name).toMatchObject({ ok: false, failure: { reason: expect.stringContaining('more than 10000 objects') } });
    }
    expect(parseJson(texts['negative zeros'] ?? '', { maxParts: 10_000 }).ok).toBe(true);
  });
});

/** Processor time of one of several runs: the clock of a thread may have steps of 4 ms. */
function meanMs(work: () => unknown): number {
  work();
  const before = process.threadCpuUsage();
  for (let run = 0; run < RUNS; run++) work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000 / RUNS;
}

const RUNS = 12;
