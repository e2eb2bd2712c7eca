import { editsBetween } from './closest-name.ts';
import type { Query } from './query.ts';

/**
 * Ranks queries for a text that a person or a model wrote: a word of a name, or a whole question. Words are compared by their
 * stems, with typos, prefixes and parts of words counting less. Queries that match far less than the best one are left out.
 */
export function rankQueries(search: string, queries: readonly Query[]): readonly Query[] {
  const wanted = wantedWords(search);
  if (wanted.length === 0) return [];
  const entries = queries.map((query) => ({ query, words: wordsOf(query) }));
  const known = new Set(entries.flatMap(({ words }) => [...words.keys()]));
  const terms = wanted.map((word) => {
    const matches = matchesOf(word, known);
    const found = entries.filter(({ words }) => hasAny(words, matches)).length;
    return { matches, rarity: Math.log(1 + entries.length / (1 + found)) };
  });
  const scored = entries.map(({ query, words }, index) => ({ query, index, score: scoreOf(words, terms) }));
  const ranked = scored.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score || a.index - b.index);
  const least = (ranked[0]?.score ?? 0) * LEAST_OF_BEST;
  const found = ranked.filter(({ score }) => score >= least).map(({ query }) => query);
  const named = found.filter((query) => isNamed(query, search));
  return named.length === 0 ? found : [...named, ...found.filter((query) => !named.includes(query))];
}

const LEAST_OF_BEST = 0.35;

/** Whether the search is the whole name. */
function isNamed({ queryName, current }: Query, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  return queryName.toLowerCase() === wanted || current.definition.name.toLowerCase() === wanted;
}

/** How much a word says about a query, by where it is. */
const weights = { name: 4, tag: 3, description: 2, parameter: 1.5, column: 1.5, tip: 1 } as const;

type Words = ReadonlyMap<string, number>; // weight by stem

// dividing a text into stems takes longer than comparing them; every change of a query has another revision
const remembered = new Map<string, Words>();
const MOST_REMEMBERED = 10_000;

function wordsOf(query: Query): Words {
  const key = `${query.id} ${query.revision}`;
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const words = readWords(query);
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(key, words);
  return words;
}

function readWords({ queryName, current: { definition, labels, resultColumns } }: Query): Words {
  const words = new Map<string, number>();
  const add = (text: string | undefined, weight: number): void => {
    for (const stem of stemsOf(text ?? '')) words.set(stem, Math.max(weight, words.get(stem) ?? 0));
  };
  add(definition.name, weights.name);
  add(queryName, weights.name);
  for (const tag of labels.tags) add(tag, weights.tag);
  add(labels.description, weights.description);
  for (const { name, label, description, values = [] } of definition.parameters) {
    add(name, weights.parameter);
    add(label, weights.parameter);
    add(description, weights.parameter);
    for (const value of values) add(value, weights.parameter);
  }
  for (const { name } of resultColumns ?? []) add(name, weights.column);
  for (const { displayName } of definition.columns) add(displayName, weights.column);
  add(labels.tip, weights.tip);
  return words;
}

/** The known words that a wanted one may mean, each with the part of the weight that it gets. */
type Matches = ReadonlyMap<string, number>;

const EXACT = 1;
const PREFIX = 0.7;
const PART = 0.4;
const TYPO = 0.6;
const SHORTEST = 3; // of a prefix or a part

function matchesOf(wanted: string, known: ReadonlySet<string>): Matches {
  const matches = new Map<string, number>();
  for (const word of known) {
    const share = shareOf(wanted, word);
    if (share > 0) matches.set(word, share);
  }
  return matches;
}

function shareOf(wanted: string, word: string): number {
  if (word === wanted) return EXACT;
  if (wanted.length < SHORTEST) return 0;
  if (word.startsWith(wanted)) return PREFIX;
  const most = wanted.length >= 8 ? 2 : wanted.length >= 4 ? 1 : 0;
  const isTypo = most > 0 && Math.abs(word.length - wanted.length) <= most && editsBetween(wanted, word) <= most;
  if (isTypo || isSwapped(wanted, word)) return TYPO;
  return word.includes(wanted) ? PART : 0;
}

/** Two letters in the wrong order; the only typo of stems too short for others: `slaes` has the stem `sla`. */
function isSwapped(wanted: string, word: string): boolean {
  if (word.length !== wanted.length) return false;
  const at = [...wanted].findIndex((letter, index) => letter !== word[index]);
  return wanted.slice(0, at) + wanted.charAt(at + 1) + wanted.charAt(at) + wanted.slice(at + 2) === word;
}

function hasAny(words: Words, matches: Matches): boolean {
  for (const word of matches.keys()) if (words.has(word)) return true;
  return false;
}

function scoreOf(words: Words, terms: readonly { readonly matches: Matches; readonly rarity: number }[]): number {
  let score = 0;
  for (const { matches, rarity } of terms) {
    let best = 0;
    for (const [word, share] of matches) best = Math.max(best, share * (words.get(word) ?? 0));
    score += best * rarity;
  }
  // of two queries with the same words, the one that has fewer others is meant
  return score / (1 + Math.log1p(words.size) / 20);
}

/** The stems of a search without the words of a question; all of them if nothing else is left. */
function wantedWords(search: string): readonly string[] {
  const all = [...new Set(stemsOf(search.slice(0, MAX_LENGTH)))];
  const content = all.filter((stem) => !fillers.has(stem));
  return (content.length > 0 ? content : all).slice(0, MAX_WORDS);
}

const MAX_LENGTH = 1000;
const MAX_WORDS = 30;

/** Words in lower case, without accents, `camelCase` and `snake_case` divided, and reduced to a stem. */
const stemsOf = (text: string): readonly string[] =>
  text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map(stemOf);

/** The endings of English that change a word without changing what it is about. Other languages mostly keep theirs. */
export function stemOf(word: string): string {
  if (word.length < 4) return word;
  const singular = word
    .replace(/ies$/, 'y')
    .replace(/(ss|sh|ch|x|z)es$/, '$1')
    .replace(/([^su])s$/, '$1');
  const base = singular
    .replace(/ations?$/, 'ate')
    .replace(/([^aeiou][a-z]*[aeiouy][a-z]*)(?:ing|ed)$/, '$1')
    .replace(/([bdfglmnprt])\1$/, '$1')
    .replace(/(th|ek|ar|er)ly$/, '$1')
    .replace(/(.{3,})e$/, '$1')
    .replace(/(.{2,})y$/, '$1i');
  return base.length < 2 ? word : base;
}

const fillers = new Set(
  stemsOf(
    'a about all am an and any are as at be been by can could did do does each every find for from get give had has have how i in is it its list many me much my of on or our please per query queries report see show tell that the their them there these they this to us want was we were what when where which who whose why will with would you your',
  ),
);
