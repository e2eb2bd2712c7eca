// Texts that make a regular expression with backtracking slow, derived from its own syntax.

type Pattern = readonly Item[][]; // alternatives

interface Item {
  readonly samples: readonly string[]; // of a character or a class
  readonly group?: Pattern;
  readonly min: number;
  readonly max: number;
}

const MANY = 16; // what may repeat more often counts as unbounded

/** `repeats` times each unbounded part, after what the expression needs before it, and then something that does not match. */
export function createHostileStrings(source: string, flags: string, repeats: number): readonly string[] {
  const pattern = parsePattern(source, flags.includes('v'));
  const pumps = [...new Set(samplesOf(pattern))].slice(0, 8);
  const texts: string[] = [];
  for (const { before, inner } of findUnboundedParts(pattern, '')) {
    for (const pump of new Set([...inner, ...pumps])) {
      if (pump === '') continue;
      const run = pump.repeat(Math.ceil(repeats / pump.length));
      for (const end of ['\u0001\n\u0001', '!']) texts.push(before + run + end);
      const short = before + pump.repeat(3);
      texts.push(short.repeat(Math.ceil(repeats / short.length)));
    }
  }
  return texts;
}

function* findUnboundedParts(pattern: Pattern, start: string): Generator<{ before: string; inner: readonly string[] }> {
  for (const sequence of pattern) {
    let before = start;
    for (const item of sequence) {
      if (item.max > MANY) yield { before, inner: item.group?.map(toShortest).filter((each) => each !== '') ?? item.samples };
      if (item.group !== undefined) yield* findUnboundedParts(item.group, before);
      before += textOf(item);
    }
  }
}

/** A text that the sequence probably matches. */
const toShortest = (sequence: readonly Item[]): string => sequence.map((item) => textOf(item, 1)).join('');

function textOf({ samples, group, min }: Item, least = 0): string {
  const one = group === undefined ? (samples[0] ?? '') : toShortest(group.find((each) => toShortest(each) !== '') ?? []);
  return one.repeat(Math.max(min, least));
}

const samplesOf = (pattern: Pattern): string[] =>
  pattern.flat().flatMap(({ samples, group }) => (group === undefined ? samples : samplesOf(group)));

const classes: Readonly<Record<string, readonly string[]>> = {
  d: ['0', '7'],
  D: ['a', ' '],
  w: ['a', '0'],
  W: [' ', '-'],
  s: [' ', '\n'],
  S: ['a', '.'],
  t: ['\t'],
  n: ['\n'],
  r: ['\r'],
  v: ['\v'],
  f: ['\f'],
  '0': ['\0'],
  b: [],
  B: [],
};

const properties: Readonly<Record<string, readonly string[]>> = {
  L: ['a', 'é'],
  Ll: ['a'],
  Lu: ['A'],
  N: ['0'],
  Nd: ['0'],
  M: ['\u0301'],
  Mn: ['\u0301'],
  C: ['\u0007', '\u200b'],
  Cc: ['\u0007'],
  Cf: ['\u200b'],
  Cs: ['\ud800'],
  Default_Ignorable_Code_Point: ['\u200b', '\u3164'],
  Pi: ['\u00ab'],
  Pf: ['\u00bb'],
  So: ['\u2713', '\u2800'],
  Z: [' ', '\u2028'],
  Zl: ['\u2028'],
  Zp: ['\u2029'],
  'Script=Latin': ['a'],
  'scx=Han': ['漢'],
  'scx=Hiragana': ['か'],
  'scx=Katakana': ['カ'],
  'scx=Thai': ['ก'],
  'scx=Lao': ['ກ'],
  'scx=Khmer': ['ក'],
  'scx=Myanmar': ['က'],
};

const OTHERS = ['a', '0', ' ', '-', '.', '"', "'", '\n', '\u00e9']; // for classes that exclude something

/** `hasSets`: a class may contain classes; of sets that intersect or exclude others, all members are samples. */
function parsePattern(source: string, hasSets: boolean): Pattern {
  let at = 0;
  const fail = (): never => {
    throw new Error(`cannot read /${source}/ at ${at}`);
  };

  function alternatives(): Pattern {
    const read: Item[][] = [[]];
    while (at < source.length && source[at] !== ')') {
      if (source[at] === '|') {
        at++;
        read.push([]);
      } else {
        const item = readQuantified();
        if (item !== null) read.at(-1)?.push(item);
      }
    }
    return read;
  }

  function readQuantified(): Item | null {
    const atom = readAtom();
    const found = /^(?:([*+?])|\{(\d+)(,(\d*))?\})\??/.exec(source.slice(at));
    at += found?.[0].length ?? 0;
    if (atom === null) return null;
    if (found === null) return { ...atom, min: 1, max: 1 };
    const [, sign, least = '', comma, most = ''] = found;
    if (sign !== undefined) return { ...atom, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Number.POSITIVE_INFINITY };
    const max = comma === undefined ? Number(least) : most === '' ? Number.POSITIVE_INFINITY : Number(most);
    return { ...atom, min: Number(least), max };
  }

  function readAtom(): Pick<Item, 'samples' | 'group'> | null {
    const character = source[at++] ?? fail();
    if (character === '^' || character === '$') return null;
    if (character === '.') return { samples: ['a', '0', ' '] };
    if (character === '(') return readGroup();
    if (character === '[') return { samples: readClass() };
    return { samples: character === '\\' ? readEscape() : [character] };
  }

  function readGroup(): Pick<Item, 'samples' | 'group'> | null {
    const [opening = ''] = /^\?(?:[:=!]|<[=!]|<\w+>)/.exec(source.slice(at)) ?? [];
    at += opening.length;
    const group = alternatives();
    if (source[at++] !== ')') fail();
    return /[=!]$/.test(opening) ? null : { samples: [], group }; // a lookaround has no characters
  }

  function readClass(): readonly string[] {
    const isNegated = source[at] === '^';
    if (isNegated) at++;
    const samples: string[] = [];
    while (source[at] !== ']') {
      const character = source[at++] ?? fail();
      if (hasSets && character === '[') samples.push(...readClass());
      else samples.push(...(character === '\\' ? readEscape() : [character]));
    }
    at++;
    return isNegated ? OTHERS.filter((each) => !samples.includes(each)) : samples;
  }

  function readEscape(): readonly string[] {
    const code = /^(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))/.exec(source.slice(at));
    if (code !== null) {
      at += code[0].length;
      return [String.fromCharCode(Number.parseInt(code[1] ?? code[2] ?? '', 16))];
    }
    const property = /^p\{([^}]+)\}/.exec(source.slice(at));
    if (property !== null) {
      at += property[0].length;
      return properties[property[1] ?? ''] ?? fail();
    }
    const character = source[at++] ?? fail();
    if (/[1-9]/.test(character)) return []; // a reference to a group
    return classes[character] ?? [character];
  }

  const pattern = alternatives();
  return at === source.length ? pattern : fail();
}
