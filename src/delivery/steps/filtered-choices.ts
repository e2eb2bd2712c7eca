import type { Query } from '../../catalog/query.ts';
import { type SqlDialect, dialectOf } from '../../catalog/sql-dialect.ts';
import { sqlTokens } from '../../catalog/sql-tokens.ts';
import { labelColumns } from '../../results/labels.ts';
import type { BoundValue } from '../../sql-value.ts';
import type { DatabaseRecord } from '../../store/metadata-store.ts';

/** The choices that a caller looks for: a display column contains the text, or is one of the values. */
export type ChoiceFilter =
  | { readonly column: string; readonly contains: string }
  | { readonly column: string; readonly isOneOf: readonly string[] };

interface FilteredQuery {
  readonly query: Query;
  readonly values: readonly BoundValue[]; // in addition to those of the query
}

/**
 * The query with a condition around its SQL, so that the database reads through the rows. The condition is true for every row
 * that passes the filter and perhaps for others: engines differ in what is upper and lower case, so the caller filters again.
 * Null if the SQL cannot be wrapped safely: then all rows are read.
 */
export function filteredQuery(query: Query, database: DatabaseRecord, filter: ChoiceFilter): FilteredQuery | null {
  const { definition, resultColumns } = query.current;
  const dialect = dialectOf(database);
  const syntax = syntaxOf[dialect];
  const columns = labelColumns(resultColumns ?? [], definition.columns);
  const column = columns.find(({ label }) => label === filter.column);
  // maxRows counts the rows of the query, not those that pass
  if (syntax === null || column === undefined || !isPlain.has(column.kind) || definition.maxRows !== undefined) return null;
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  if (names.size < columns.length || names.has('')) return null; // a subquery needs different names
  const patterns = 'contains' in filter ? [`%${patternOf(filter.contains)}%`] : filter.isOneOf.map(patternOf);
  if (patterns.length > MOST_PATTERNS || patterns.every((each) => /^%*$/.test(each))) return null;

  const values = patterns.map((value, index): BoundValue => ({ name: `@sluice_choice_${index}`, type: { name: 'text' }, value }));
  if (values.some(({ name }) => definition.sql.includes(name))) return null;
  const quoted = syntax.quote + column.name.replaceAll(syntax.quote, syntax.quote.repeat(2)) + syntax.quote;
  const conditions = values.map(({ name }) => `lower(${syntax.toText(quoted)}) like ${name}`);
  // a choice without a label is shown by its value
  const sql = `select * from (\n${withoutSemicolon(definition.sql, dialect)}\n) sluice_choices where ${quoted} is null or ${conditions.join(' or ')}${syntax.keepsOrder ? '' : ` order by ${quoted}`}`;
  const parameters = [...definition.parameters, ...values.map(({ name }) => ({ name, dataType: 'nvarchar', required: true }))];
  return { query: { ...query, current: { ...query.current, definition: { ...definition, sql, parameters } } }, values };
}

const MOST_PATTERNS = 20;
const LONGEST_PATTERN = 100;

/** Kinds whose text is the same in the database and here. */
const isPlain: ReadonlySet<string> = new Set(['text', 'integer']);

interface Syntax {
  readonly quote: string;
  readonly toText: (column: string) => string;
  readonly keepsOrder: boolean; // of a subquery
}

const standard: Syntax = { quote: '"', toText: (column) => `cast(${column} as varchar)`, keepsOrder: true };

/** Null: a query with ORDER BY or WITH cannot be a subquery. */
const syntaxOf: Readonly<Record<SqlDialect, Syntax | null>> = {
  duckdb: standard,
  postgres: standard,
  sqlite: standard,
  trino: { ...standard, keepsOrder: false },
  mysql: { quote: '`', toText: (column) => `cast(${column} as char)`, keepsOrder: false },
  clickhouse: { quote: '`', toText: (column) => `toString(${column})`, keepsOrder: true },
  sqlserver: null,
};

/**
 * A pattern for LIKE that the text matches in every case and on every engine. It needs no escape character: only letters and
 * digits stand for themselves. Not even i and k, which are the lower case of letters that are not ASCII.
 */
export function patternOf(text: string): string {
  const lower = [...text.toLowerCase()];
  const pattern = lower.slice(0, LONGEST_PATTERN).map((char) => {
    if (/[a-z0-9]/.test(char)) return char === 'i' || char === 'k' ? '_' : char;
    return char > '~' || char <= ' ' ? '%' : '_'; // other letters may have another length, and spaces may be cut off
  });
  return `${pattern.join('')}${lower.length > LONGEST_PATTERN ? '%' : ''}`.replace(/%+/g, '%');
}

function withoutSemicolon(sql: string, dialect: SqlDialect): string {
  const last = sqlTokens(sql, dialect).at(-1);
  return last?.text === ';' ? `${sql.slice(0, last.start)} ${sql.slice(last.end)}` : sql;
}
