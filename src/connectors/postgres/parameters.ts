import type { BoundValue, SqlType } from '../../core/sql-value.ts';
import { type MarkedSql, markSql } from '../statements/marked-sql.ts';
import { refusal } from '../statements/refusals.ts';
import { dialect } from './dialect.ts';

/** An author's SQL with PostgreSQL's placeholders, and the values to bind, in order. */
export interface RenderedSql extends MarkedSql {
  readonly types: readonly number[]; // oids
  readonly values: readonly (string | null)[];
  /** The keys of the prepared statements. The same string objects for every run: V8 caches the hash of a string. */
  readonly key: { readonly select: string; readonly epilogue: string };
}

/** `@Region` becomes `$1`, whose type is declared separately. A name that is used twice is bound once. */
export function renderParameters(source: string, parameters: readonly BoundValue[]): RenderedSql {
  const text = renderOnce(
    source,
    parameters.map(({ name }) => name),
  );
  const { sql, positionOf } = text;
  const bound = text.used.flatMap((index) => parameters[index] ?? []);
  const types = bound.map(({ type }) => typeOf(type));
  const values = bound.map(({ type, value }) => (value === null ? null : textOf(type, value)));
  return { source, sql, positionOf, types, values, key: keyOf(text, types) };
}

interface RenderedText extends MarkedSql {
  readonly used: readonly number[]; // indexes of the parameters, in the order of the placeholders
  readonly keys: Map<string, RenderedSql['key']>; // by the types
}

function keyOf({ sql, keys }: RenderedText, types: readonly number[]): RenderedSql['key'] {
  const spelled = types.join();
  const known = keys.get(spelled);
  if (known !== undefined) return known;
  const key = { select: `select ${spelled} ${sql}`, epilogue: `epilogue ${spelled} ${sql}` };
  keys.set(spelled, key);
  return key;
}

const mostTexts = 500;
const texts = new Map<string, Map<string, RenderedText>>(); // by source, then by the names

/** Rendered once for all runs: finding the placeholders outside of strings and comments takes longer than the rest. */
function renderOnce(source: string, declared: readonly string[]): RenderedText {
  const ofSource = texts.get(source) ?? new Map<string, RenderedText>();
  const known = ofSource.get(declared.join());
  if (known !== undefined) return known;
  if (source.includes('\0')) throw refusal('The SQL contains a zero byte.');
  const indexed = declared.map((name, index) => ({ name, index }));
  const marked = markSql(source, dialect, indexed, (_parameter, index) => `$${index + 1}`);
  const { sql, positionOf } = marked;
  const text: RenderedText = { source, sql, positionOf, used: marked.used.map(({ index }) => index), keys: new Map() };
  if (texts.size >= mostTexts) texts.clear();
  texts.set(source, ofSource.set(declared.join(), text));
  return text;
}

const oids = {
  text: 25,
  decimal: 1700,
  bit: 16,
  date: 1082,
  datetime: 1114,
  datetimeoffset: 1184,
  time: 1083,
  uuid: 2950,
  json: 3802, // jsonb, because json has few operators
  binary: 17,
};
const int2 = 21;
const int4 = 23;
const int8 = 20;

function typeOf(type: SqlType): number {
  if (type.name === 'float') return type.bits === 32 ? 700 : 701;
  if (type.name !== 'integer') return oids[type.name];
  // unsigned values need the next larger type
  const bits = type.unsigned ? type.bits * 2 : type.bits;
  if (bits <= 16) return int2;
  if (bits === 32) return int4;
  return bits === 64 ? int8 : oids.decimal;
}

const textOf = (type: SqlType, value: string): string =>
  type.name === 'binary' ? `\\x${Buffer.from(value, 'base64').toString('hex')}` : value;
