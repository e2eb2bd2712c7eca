import MiniSearch, { type Query as SearchQuery } from 'minisearch';
import type { Query } from './query.ts';

/** An index of queries for texts that a person or a model wrote: a word of a name, or a whole question. */
export interface QuerySearch {
  /** Adds a query, or replaces the one with its id. */
  put(query: Query): void;
  remove(id: string): void;
  /** Ids of the wanted queries, the best match first. Those that match far less than the best one are left out. */
  rank(search: string, isWanted: (id: string) => boolean): readonly string[];
}

/** How much a word says about a query, by where it is. */
const weights = { name: 4, tags: 3, description: 2, parameters: 1.5, columns: 1.5, tip: 1 };
const LEAST_OF_BEST = 0.35;

export function createQuerySearch(): QuerySearch {
  const words = new Set<string>(); // of all queries, also earlier ones
  const index = new MiniSearch<Document>({
    fields: Object.keys(weights),
    tokenize: wordsOf,
    processTerm: (word) => {
      words.add(word);
      return word;
    },
    searchOptions: {
      boost: weights,
      weights: { prefix: 0.7, fuzzy: 0.4 },
      tokenize: (word) => [word], // every query below is one word
      processTerm: (word) => word,
      bm25: { k: 1.2, b: 0.3, d: 0.5 }, // a long description makes a query hardly less likely to be meant
    },
  });
  const remove = (id: string): void => {
    if (index.has(id)) index.discard(id);
  };
  return {
    put(query) {
      remove(query.id);
      index.add(documentOf(query));
    },
    remove,
    rank(search, isWanted) {
      const queries = formsOf(wantedWords(search), words);
      if (queries.length === 0) return [];
      const found = index.search({ combineWith: 'OR', queries }, { filter: ({ id }) => isWanted(id) });
      const least = (found[0]?.score ?? 0) * LEAST_OF_BEST;
      return found.filter(({ score }) => score >= least).map(({ id }) => id);
    },
  };
}

type Document = { readonly [Field in keyof typeof weights | 'id']: string };

function documentOf({ id, queryName, current: { definition, labels, resultColumns } }: Query): Document {
  const parameters = definition.parameters.flatMap(({ name, label, description, values = [] }) => [
    name,
    label,
    description,
    ...values,
  ]);
  const columns = [
    ...(resultColumns ?? []).map(({ name }) => name),
    ...definition.columns.map(({ displayName }) => displayName),
  ];
  return {
    id,
    name: lines([definition.name, queryName]),
    tags: lines(labels.tags),
    description: labels.description,
    parameters: lines(parameters),
    columns: lines(columns),
    tip: labels.tip,
  };
}

const lines = (texts: readonly (string | undefined)[]): string => texts.filter((text) => text !== undefined).join('\n');

const SHORTEST_PREFIX = 3;
const SHORTEST_ROOT = 5;
const ENDING = 3; // letters that another form of a word may have instead
const MOST_WORDS_BY_PART = 3; // a question has more, and its words are whole
const MOST_PARTS = 20;

/** What a wanted word may be in a query: itself, its beginning, another form, a part of a longer word, or with a typo. */
function formsOf(wanted: readonly string[], known: ReadonlySet<string>): SearchQuery[] {
  return wanted.flatMap((word): SearchQuery[] => {
    if (word.length < SHORTEST_PREFIX && !spaceless.test(word)) return [{ queries: [word] }];
    const isWhole = known.has(word);
    const isBeginning = !isWhole && [...known].some((each) => each.startsWith(word));
    const isUnknown = !isWhole && !isBeginning;
    const root = word.slice(0, Math.max(SHORTEST_ROOT, word.length - ENDING));
    const others = [
      ...(isUnknown ? swapped(word).filter((each) => known.has(each)) : []),
      ...(wanted.length > MOST_WORDS_BY_PART ? [] : partsOf(word, known)),
    ];
    return [
      { queries: [word], prefix: true, fuzzy: isUnknown ? typosIn(word) : 0 },
      ...(isBeginning || root === word ? [] : [weighed(root, { prefix: true }, 0.5)]),
      ...others.slice(0, MOST_PARTS).map((other) => weighed(other, {}, 0.4)),
    ];
  });
}

const weighed = (word: string, options: { readonly prefix?: boolean }, weight: number): SearchQuery => ({
  queries: [word],
  ...options,
  boostTerm: () => weight,
});

/** Another digit is another number, not a typo. */
function typosIn(word: string): number {
  if (word.length < 4 || /\p{N}/u.test(word)) return 0;
  return word.length >= 8 ? 2 : 1;
}

/** With two neighbouring letters in the other order, which is two typos otherwise. */
const swapped = (word: string): readonly string[] =>
  Array.from(word.slice(1), (_, at) => word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2));

const partsOf = (word: string, known: ReadonlySet<string>): readonly string[] =>
  [...known].filter((each) => each.length > word.length && each.includes(word, 1));

/** The words of a search without those of a question; all of them if nothing else is left. */
function wantedWords(search: string): readonly string[] {
  const all = [...new Set(wordsOf(search.slice(0, LONGEST_SEARCH)))];
  const content = all.filter((word) => !fillers.has(word));
  return (content.length > 0 ? content : all).slice(0, MOST_WORDS);
}

const LONGEST_SEARCH = 1000;
const MOST_WORDS = 20;
const LONGEST_WORD = 40;

const spaceless =
  /[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]&&[\p{L}\p{N}]]/v;
const runs = new RegExp(`${spaceless.source}+|[[\\p{L}\\p{N}]--${spaceless.source}]+`, 'gv');

/** Words in lower case, without accents, `camelCase` and `snake_case` divided. Scripts without spaces give pairs of letters. */
function wordsOf(text: string): string[] {
  const folded = text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();
  return (folded.match(runs) ?? []).flatMap((run) => (spaceless.test(run) ? pairsOf(run) : run.slice(0, LONGEST_WORD)));
}

function pairsOf(run: string): readonly string[] {
  const letters = [...run];
  return letters.map((letter, at) => letter + (letters[at + 1] ?? ''));
}

const fillers = new Set(
  'a about all am an and any are as at be been by can could did do does each every find for from get give had has have how i in is it its list many me much my of on or our please per query queries report see show tell that the their them there these they this to us want was we were what when where which who whose why will with would you your'.split(
    ' ',
  ),
);
