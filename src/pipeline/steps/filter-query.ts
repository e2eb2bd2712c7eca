import type { Query } from '../../catalog/query.ts';
import type { SqlDialect } from '../../catalog/sql-dialect.ts';
import { sqlTokens } from '../../catalog/sql-tokens.ts';
import type { Engine } from '../../connectors/connector.ts';
import type { BoundValue } from '../../core/sql-value.ts';
import { labelColumns } from '../../results/columns.ts';

/** The choices that a caller looks for: the text of a display column contains the search, ignoring case, or is one of the values. */
export type ChoiceFilter =
  | { readonly column: string; readonly contains: string }
  | { readonly column: string; readonly isOneOf: readonly string[] };

interface FilteredQuery {
  readonly query: Query;
  readonly values: readonly BoundValue[]; // in addition to those of the query
}

/**
 * The query with a condition around its SQL, so that the database reads through the rows. The condition holds for every row that
 * passes the filter, and perhaps for others: engines differ in what is upper and lower case, so the caller filters again. Null if
 * the SQL cannot be wrapped: then all rows are read.
 */
export function filterQuery(query: Query, { choices: syntax, dialect }: Engine, filter: ChoiceFilter): FilteredQuery | null {
  const { definition, resultColumns } = query.current;
  const columns = labelColumns(resultColumns ?? [], definition.columns);
  const column = columns.find(({ label }) => label === filter.column);
  // maxRows counts the rows of the query, not those that pass
  if (syntax === null || column === undefined || !isPlain.has(column.kind) || definition.maxRows !== undefined) return null;
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  if (names.size < columns.length || names.has('')) return null; // a subquery needs different names
  const texts = 'contains' in filter ? partsOf(filter.contains) : exactValues(filter.isOneOf);
  if (texts === null) return null;

  const values = texts.map((value, index): BoundValue => ({ name: `@sluice_choice_${index}`, type: { name: 'text' }, value }));
  if (values.some(({ name }) => definition.sql.includes(name))) return null;
  const quoted = syntax.quote + column.name.replaceAll(syntax.quote, syntax.quote.repeat(2)) + syntax.quote;
  const text = syntax.toText(quoted);
  const placeholders = values.map(({ name }) => name);
  const passes =
    'contains' in filter
      ? placeholders.map((each, index) => syntax.contains(index === 0 ? `lower(${text})` : text, each)).join(' or ')
      : `${text} in (${placeholders.join(', ')})`;
  const order = syntax.keepsOrder ? '' : ` order by ${quoted}`;
  const inner = trimSemicolon(definition.sql, dialect);
  // a choice without a label is shown by its value
  const sql = `select * from (\n${inner}\n) sluice_choices where ${quoted} is null or ${passes}${order}`;
  return { query: { ...query, current: { ...query.current, definition: { ...definition, sql } } }, values };
}

/** Kinds whose text is the same in the database and here. */
const isPlain: ReadonlySet<string> = new Set(['text', 'integer']);

/**
 * The first text is a part of the search that every engine has in the same lower case: the longest run of ASCII and of letters
 * without case. Two other letters have i and k as their lower case, but not on every engine: labels with one of them pass, too.
 */
function partsOf(search: string): readonly string[] | null {
  let run = '';
  let longest = '';
  for (const char of search.toLowerCase()) {
    run = isSameEverywhere(char) ? run + char : '';
    if (run.trim().length > longest.length) longest = run.trim(); // spaces at the end may be cut off
  }
  if (longest === '') return null;
  return [longest, ...(longest.includes('i') ? ['\u0130'] : []), ...(longest.includes('k') ? ['\u212a'] : [])];
}

const isSameEverywhere = (char: string): boolean => /[ -~]/.test(char) || (char.toUpperCase() === char && char !== '\u0307'); // a part of the lower case of \u0130

const MOST_VALUES = 100;

/** Engines may cut off spaces at the end. */
const exactValues = (values: readonly string[]): readonly string[] | null =>
  values.length > MOST_VALUES || values.some((each) => each.endsWith(' ')) ? null : values;

function trimSemicolon(sql: string, dialect: SqlDialect): string {
  const last = sqlTokens(sql, dialect).at(-1);
  return last?.text === ';' ? `${sql.slice(0, last.start)} ${sql.slice(last.end)}` : sql;
}
