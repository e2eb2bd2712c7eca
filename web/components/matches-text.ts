import { countEdits } from '../../src/catalog/closest-name.ts';

const SHORTEST_WITH_TYPO = 4;
const SHORTEST_WITH_TWO = 8;
const LONGEST_WORD = 40;

/** Whether a text has every word of a search as a part, also with a typo: `slaes` finds Sales. */
export function matchesText(search: string, text: string): boolean {
  const wanted = wordsOf(search);
  const folded = foldText(text);
  const known = wordsOf(text);
  return (
    folded.includes(foldText(search).trim()) ||
    wanted.every((word) => folded.includes(word) || known.some((each) => isTypoOf(word, each)))
  );
}

/** The word may also be the start of a longer one, because the reader is still writing it. Another digit is another number, not a typo. */
function isTypoOf(written: string, word: string): boolean {
  if (written.length < SHORTEST_WITH_TYPO || /\p{N}/u.test(written)) return false;
  const most = written.length >= SHORTEST_WITH_TWO ? 2 : 1;
  const starts = [word, ...[-1, 0, 1].map((more) => word.slice(0, written.length + more))];
  return starts.some(
    (start) => Math.abs(start.length - written.length) <= most && countEdits(written, start, most) !== undefined,
  );
}

const wordsOf = (text: string): readonly string[] =>
  foldText(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => word.slice(0, LONGEST_WORD));

/** Without accents, in lower case. */
export const foldText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();
