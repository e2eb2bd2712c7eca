import { findClosestName } from '../../src/catalog/closest-name.ts';
import type { SqlDialect } from '../../src/catalog/sql-dialect.ts';
import { type SqlToken, sqlTokens } from '../../src/catalog/sql-tokens.ts';
import type { SqlError } from './sql-error.ts';
import type { Schema } from './sql-language.ts';

export interface Suggestion {
  readonly name: string;
  readonly sql: string; // the text with this name
}

/** For an error about an unknown table or column: the known name that is most like it. */
export function suggestName(sql: string, dialect: SqlDialect, { message }: SqlError, schema: Schema): Suggestion | null {
  if (!isAboutName.test(message) || /\b(function|operator)\b/i.test(message)) return null;
  const tokens = sqlTokens(sql, dialect);
  const wrong = findNameIn(message);
  const unknown = tokens.find((token) => isName(token) && fold(token) === wrong);
  if (unknown === undefined || isKnown(wrong, schema)) return null;
  const name = findClosestName(plainName(unknown), listNames(message, new Set(tokens.map(fold)), schema));
  return name === undefined ? null : { name, sql: rename(sql, tokens, unknown, spell(name, unknown, dialect)) };
}

const isAboutName =
  /does(n't| not) exist|not found|no such (table|column)|unknown|invalid (object|column) name|cannot be resolved|not have a column/i;

/** Engines quote the name, or write it after one of these words. Only the last part of `schema.table.column` is a name. */
function findNameIn(message: string): string {
  const found =
    /column named ["'`]([^"'`]+)/.exec(message) ??
    /["'`]([^"'`]+)["'`]/.exec(message) ??
    /(?:with name|column|relation|no such table):? (\S+)/i.exec(message);
  return (found?.[1] ?? '').split('.').at(-1)?.toLowerCase() ?? '';
}

/** The tables, or the columns of the tables that the text uses. */
function listNames(message: string, used: ReadonlySet<string>, { tables }: Schema): readonly string[] {
  const isColumn = /column/i.test(message);
  const isTable = !isColumn && /table|relation|object/i.test(message);
  const sources = tables.filter(({ name }) => used.has(name.toLowerCase()));
  const columns = (sources.length === 0 ? tables : sources).flatMap((table) => table.columns.map(({ name }) => name));
  return [...(isColumn ? [] : tables.map(({ name }) => name)), ...(isTable ? [] : columns)];
}

const isKnown = (name: string, { tables }: Schema): boolean =>
  tables.some((table) => table.name.toLowerCase() === name || table.columns.some((column) => column.name.toLowerCase() === name));

const isName = ({ type, text }: SqlToken): boolean => type === 'word' || (type === 'quoted' && !text.startsWith("'"));

const plainName = ({ type, text }: SqlToken): string => (type === 'quoted' ? text.slice(1, -1) : text);

const fold = (token: SqlToken): string => plainName(token).toLowerCase();

/** Replaces the name wherever it is used, except as an alias. */
function rename(sql: string, tokens: readonly SqlToken[], { text }: SqlToken, replacement: string): string {
  const uses = tokens.filter((token, at) => token.text === text && tokens[at - 1]?.text.toLowerCase() !== 'as');
  return uses.reduceRight((mended, { start, end }) => mended.slice(0, start) + replacement + mended.slice(end), sql);
}

/** Quotes a name as the text did, or if it needs it. */
function spell(name: string, { type, text }: SqlToken, { quotes, brackets }: SqlDialect): string {
  if (type === 'quoted') return text.charAt(0) + name + text.charAt(text.length - 1);
  if (/^[a-z_][a-z0-9_]*$/.test(name)) return name;
  if (quotes.includes('`')) return `\`${name}\``;
  return brackets === 'doubled' ? `[${name}]` : `"${name}"`;
}
