import MiniSearch, { type QueryCombination } from 'minisearch';
import type { Query } from './query.ts';

/** How much a word says about a query, by where it is. */
const weights = { name: 4, tags: 3, description: 2, parameters: 1.5, columns: 1.5, tip: 1 };
const LEAST_SHARE = 0.35; // of the best score

/** An index of queries for texts that a person or a model wrote: a word of a name, or a whole question. */
export function createQuerySearch() {
  const words = new WordCounts();
  let adding = new Set<string>(); // words of the query that is being added
  const index = new MiniSearch<Document>({
    fields: Object.keys(weights),
    tokenize: wordsOf,
    processTerm: (word) => {
      adding.add(word);
      return word;
    },
    searchOptions: {
      boost: weights,
      weights: { prefix: 0.7, fuzzy: 0.4 },
      tokenize: (word) => [word], // every query below is one word
      processTerm: (word) => word,
      bm25: { k: 1.2, b: 0.3, d: 0.5 }, // a long description hardly lowers the score
    },
  });
  const remove = (id: string): void => {
    if (!index.has(id)) return;
    index.discard(id);
    words.remove(id);
  };
  /** Ranks at most MOST_RANKED queries, because a word may be in every query. */
  const find = (forms: readonly Forms[], isWanted: (id: string) => boolean) => {
    const ranked = new Set<string>();
    const boostDocument = (id: string): number => {
      if (ranked.has(id)) return 1;
      if (ranked.size >= MOST_RANKED || !isWanted(id)) return 0;
      ranked.add(id);
      return 1;
    };
    return index
      .search({ combineWith: 'OR', queries: forms.flatMap(({ queries }) => queries) }, { boostDocument })
      .map(({ id, score, queryTerms }) => {
        // a query with two of the words ranks before one with two forms of the same word, however rare those are
        const covered = forms.filter(({ words: each }) => queryTerms.some((term) => each.has(term))).length;
        return { id, score: (score / queryTerms.length) * covered ** 2 };
      })
      .sort((a, b) => b.score - a.score);
  };
  return {
    /** Adds a query, or replaces the one with its id. */
    put(query: Query): void {
      remove(query.id);
      adding = new Set();
      index.add(documentOf(query));
      words.add(query.id, adding);
    },
    remove,
    /** The wanted queries, the best match first. Those that match far less than the best one are left out. */
    rank(search: string, isWanted: (id: string) => boolean) {
      const { rare, all } = limitForms(formsOf(searchWords(search), words));
      const some = find(rare, isWanted);
      // words that most queries have only rank those that the rarer ones find
      const candidates = new Set(some.map(({ id }) => id));
      const found = all.length === rare.length || some.length === 0 ? some : find(all, (id) => candidates.has(id));
      const least = (found[0]?.score ?? 0) * LEAST_SHARE;
      return found.filter(({ score }) => score >= least);
    },
  };
}

/** The words of all queries, and how many have each. */
class WordCounts {
  readonly #counts = new Map<string, number>();
  readonly #wordsById = new Map<string, ReadonlySet<string>>();

  add(id: string, words: ReadonlySet<string>): void {
    this.#wordsById.set(id, words);
    for (const word of words) this.#counts.set(word, this.countOf(word) + 1);
  }

  remove(id: string): void {
    for (const word of this.#wordsById.get(id) ?? []) {
      if (this.countOf(word) > 1) this.#counts.set(word, this.countOf(word) - 1);
      else this.#counts.delete(word);
    }
    this.#wordsById.delete(id);
  }

  countOf = (word: string): number => this.#counts.get(word) ?? 0;

  findMatching(isMatch: (word: string) => boolean): readonly string[] {
    const found: string[] = [];
    for (const word of this.#counts.keys()) if (isMatch(word)) found.push(word);
    return found;
  }
}

type Document = { readonly [Field in keyof typeof weights | 'id']: string };

function documentOf({ id, queryName, current: { definition, labels, resultColumns } }: Query): Document {
  const parameters = definition.parameters.flatMap(({ name, label, description, values = [] }) => [
    name,
    label,
    description,
    ...values,
  ]);
  const columns = [...(resultColumns ?? []).map(({ name }) => name), ...definition.columns.map(({ displayName }) => displayName)];
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
const MOST_WORDS_BY_PART = 3; // a longer search is a question, whose words are whole
const MOST_OTHERS = 20;

/** A wanted word in all its forms, and how many queries have one of them. */
interface Forms {
  readonly queries: readonly QueryCombination[];
  readonly words: ReadonlySet<string>;
  readonly count: number;
}

/** The forms in which a searched word matches a query: exact, as a prefix, inflected, as part of a longer word, or with a typo. */
const formsOf = (wanted: readonly string[], known: WordCounts): readonly Forms[] =>
  wanted.map((word) => {
    if (word.length < SHORTEST_PREFIX && !spaceless.test(word))
      return { queries: [{ queries: [word] }], words: new Set([word]), count: known.countOf(word) };
    const root = word.slice(0, Math.max(SHORTEST_ROOT, word.length - ENDING));
    const isByPart = wanted.length <= MOST_WORDS_BY_PART;
    const alike = known.findMatching((each) => each.startsWith(root) || (isByPart && each.includes(word)));
    const beginnings = alike.filter((each) => each.startsWith(word));
    const isWhole = known.countOf(word) > 0;
    // while a word is being typed, known words with its root are not forms of it
    const isForm = (each: string): boolean => isWhole || beginnings.length === 0 || !each.startsWith(root);
    const others = alike.filter((each) => !each.startsWith(word) && isForm(each));
    const isUnknown = beginnings.length === 0;
    if (isUnknown) others.push(...swapNeighbors(word).filter((each) => known.countOf(each) > 0));
    const shown = others.slice(0, MOST_OTHERS);
    return {
      queries: [
        { queries: [word], prefix: true, fuzzy: isUnknown ? typosIn(word) : 0 },
        ...shown.map((other) => ({ queries: [other], boostTerm: () => 0.4 })),
      ],
      words: new Set([word, ...shown]),
      count: [...beginnings, ...shown].reduce((sum, each) => sum + known.countOf(each), 0),
    };
  });

const MOST_RANKED = 1_000; // queries; each takes some microseconds
const MOST_COMPARED = 20_000;

/** The rarest words find the queries, others rank them. Words that almost all queries have are left out of a large catalog. */
function limitForms(forms: readonly Forms[]): { readonly rare: readonly Forms[]; readonly all: readonly Forms[] } {
  const sorted = forms.toSorted((a, b) => a.count - b.count);
  const upTo = (most: number): readonly Forms[] => {
    let sum = 0;
    return sorted.filter(({ count }) => {
      const isFirst = sum === 0; // a word that no query has finds nothing
      sum += count;
      return isFirst || sum <= most;
    });
  };
  return { rare: upTo(MOST_RANKED), all: upTo(MOST_COMPARED) };
}

/** Another digit is another number, not a typo. */
function typosIn(word: string): number {
  if (word.length < 4 || /\p{N}/u.test(word)) return 0;
  return word.length >= 8 ? 2 : 1;
}

/** The word with each pair of neighboring letters swapped; a swap would otherwise count as two typos. */
const swapNeighbors = (word: string): readonly string[] =>
  Array.from(word.slice(1), (_, at) => word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2));

/** The words of a search without those of a question; all of them if nothing else is left. */
function searchWords(search: string): readonly string[] {
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
