/** The approximate width in Inter and the Noto fonts, exact enough to choose between wrapping, rotating and cutting. */
export function textWidth(text: string, fontSize = 12): number {
  let em = 0;
  for (const character of text) em += emOf(character.codePointAt(0) ?? 0);
  return (em * fontSize) / 100;
}

/** At most `max` grapheme clusters: emoji and accents are never split. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  const characters = graphemesOf(text.slice(0, max * 16));
  if (characters.length <= max && text.length <= max * 16) return text;
  return `${characters
    .slice(0, max - 1)
    .join('')
    .trimEnd()}…`;
}

/** Wraps text between words; a word that is too wide gets a separate line. */
export function textLines(text: string, width: number, fontSize: number): readonly string[] {
  const words = text.split(/\s+/).filter((each) => each !== '');
  return fillLines(words, ' ', width, fontSize);
}

/** Wraps text to at most `most` lines of this width; words that are too wide are broken, and what remains is cut with an ellipsis. */
export function fitText(text: string, width: number, most: number, fontSize: number): string {
  const start = text.slice(0, 400); // no surface is wider
  if (textWidth(start, fontSize) <= width) return text;
  const words = start.split(/\s+/).flatMap((word) => breakWord(word, width, fontSize));
  const lines = most === 1 ? [start] : textLines(words.join(' '), width, fontSize);
  const last = lines.slice(most - 1).join(' ');
  return [...lines.slice(0, most - 1), ...(last === '' ? [] : [cutText(last, width, fontSize)])].join('\n');
}

/** As much of the text as fits, with an ellipsis if that is not all. */
function cutText(text: string, width: number, fontSize: number): string {
  if (textWidth(text, fontSize) <= width) return text;
  const [start = ''] = fillLines(graphemesOf(text), '', width - textWidth('…', fontSize), fontSize);
  return `${start.trimEnd()}…`;
}

/** After a hyphen if there is one, otherwise anywhere. */
function breakWord(word: string, width: number, fontSize: number): readonly string[] {
  const parts = word.split(/(?<=[-/_])/).flatMap((part) => (textWidth(part, fontSize) <= width ? part : graphemesOf(part)));
  return fillLines(parts, '', width, fontSize);
}

/** Joins parts as long as they fit. */
function fillLines(parts: readonly string[], separator: string, width: number, fontSize: number): readonly string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const longer = `${lines.at(-1)}${separator}${part}`;
    if (lines.length > 0 && textWidth(longer, fontSize) <= width) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines;
}

const graphemesOf = (text: string): readonly string[] => Array.from(segmenter.segment(text), ({ segment }) => segment);

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

// advance widths of Inter Regular from the space to the tilde, in hundredths of the font size
const ascii = [
  28, 29, 47, 63, 64, 98, 64, 30, 36, 36, 50, 66, 29, 46, 29, 36, 63, 41, 61, 62, 65, 59, 62, 57, 62, 62, 29, 30, 66, 66, 66, 51,
  97, 69, 65, 73, 72, 60, 59, 75, 74, 27, 57, 67, 57, 90, 75, 76, 64, 76, 64, 64, 65, 74, 69, 99, 68, 68, 63, 36, 36, 36, 47, 46,
  32, 56, 61, 57, 61, 58, 37, 61, 59, 24, 24, 55, 24, 88, 59, 60, 61, 61, 38, 53, 33, 59, 56, 82, 55, 56, 55, 43, 33, 43, 66,
];

function emOf(code: number): number {
  const known = ascii[code - 32];
  if (known !== undefined) return known;
  if (code < 32 || (code >= 0x300 && code < 0x370) || (code >= 0x200b && code <= 0x200f) || code === 0x2060 || code === 0xfe0f)
    return 0;
  const [, width] = scripts.find(([end]) => code < end) ?? widest;
  return width;
}

/** Average widths of the characters before a code. */
const scripts: readonly (readonly [end: number, width: number])[] = [
  [0x370, 61], // Latin
  [0x430, 68], // Greek and capital Cyrillic
  [0x460, 60], // small Cyrillic
  [0x590, 68], // more Cyrillic, Armenian
  [0x600, 55], // Hebrew
  [0x780, 62], // Arabic
  [0x2e80, 66],
];
const widest = [Number.POSITIVE_INFINITY, 100] as const; // Chinese, Japanese, Korean, emoji
