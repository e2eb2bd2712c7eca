import { LRUCache } from 'lru-cache';
import { type SqlToken, sqlTokens } from '../../catalog/sql-tokens.ts';
import type { BoundValue, SqlType } from '../../core/sql-value.ts';
import { type MarkedSql, markSql } from '../statements/marked-sql.ts';
import { dialect } from './dialect.ts';
import type { BindValue } from './driver.ts';

/** An author's SQL with MySQL's placeholders, and the values to bind, in order. */
export interface RenderedSql extends MarkedSql {
  readonly values: readonly BindValue[];
}

/**
 * `@Year` becomes `CAST(? AS SIGNED)`: the cast gives the statement its types before a value is bound. Text stays a bare `?`, since
 * a cast would give it a collation that clashes with those of columns, and so does what follows LIMIT, where no cast is allowed.
 */
export function renderParameters(source: string, parameters: readonly BoundValue[], bareText = '?'): RenderedSql {
  const types = parameters.map(engineType);
  const marks = parameters.map(({ name }, index) => ({ name, index, mark: markOf(types[index]?.spelling, bareText) }));
  const key = `${marks.map(({ name, mark }) => `${name} ${mark}`).join()}\n${source}`;
  const text = texts.get(key) ?? renderText(source, marks);
  texts.set(key, text);
  const values = text.bound.map(({ index, isLimit }) => {
    const parameter = parameters[index];
    const type = parameter !== undefined && isLimit ? limitType(parameter) : types[index];
    return parameter?.value == null ? null : (type?.value(parameter.value) ?? null);
  });
  return { ...text, values };
}

const markOf = (spelling: string | undefined, bareText: string): string =>
  spelling === undefined ? bareText : `CAST(? AS ${spelling})`;

/** A text with its placeholders, and what is bound to each of them. */
interface RenderedText extends MarkedSql {
  readonly bound: readonly { readonly index: number; readonly isLimit: boolean }[];
}

/** Rendered once for all runs: to find the placeholders outside of strings and comments takes longer than the rest. */
const texts = new LRUCache<string, RenderedText>({ max: 500 });

function renderText(
  source: string,
  marks: readonly { readonly name: string; readonly index: number; readonly mark: string }[],
): RenderedText {
  const limits = limitOffsets(sqlTokens(source, dialect));
  const bound: { index: number; isLimit: boolean }[] = [];
  const { sql, positionOf } = markSql(source, dialect, marks, ({ index, mark }, _index, start) => {
    const isLimit = limits.has(start);
    if (isLimit || mark.includes('?')) bound.push({ index, isLimit });
    return isLimit ? '?' : mark;
  });
  return { source, sql, positionOf, bound };
}

interface EngineType {
  /** The type of the cast; undefined for text. */
  readonly spelling?: string | undefined;
  value(text: string): BindValue;
}

const passText = (text: string): BindValue => text;

/** After LIMIT, MySQL accepts only integers, without a cast. */
const limitType = ({ type }: BoundValue): EngineType => ({ value: type.name === 'integer' ? BigInt : passText });

function engineType({ type, value }: BoundValue): EngineType {
  switch (type.name) {
    case 'integer':
      return { spelling: type.unsigned ? 'UNSIGNED' : 'SIGNED', value: passText };
    case 'decimal':
      return { spelling: decimalSpelling(type, value), value: passText };
    case 'float':
      return { spelling: type.bits === 32 ? 'FLOAT' : 'DOUBLE', value: passText };
    default:
      return plainTypes[type.name];
  }
}

const plainTypes = {
  text: { spelling: undefined, value: passText },
  uuid: { spelling: undefined, value: passText },
  json: { spelling: undefined, value: passText },
  bit: { spelling: 'SIGNED', value: (text: string) => (text === 'true' ? '1' : '0') },
  date: { spelling: 'DATE', value: passText },
  datetime: { spelling: 'DATETIME(6)', value: toMicroseconds },
  datetimeoffset: { spelling: 'DATETIME(6)', value: toMicroseconds }, // the session's time zone is UTC
  time: { spelling: 'TIME(6)', value: toMicroseconds },
  binary: { spelling: 'BINARY', value: (text: string) => Buffer.from(text, 'base64') },
};

/** Digits that MySQL does not store are removed; some servers would round up, possibly to the next day. */
function toMicroseconds(text: string): string {
  return text.replace(/Z$/, '').replace(/(\.\d{6})\d+$/, '$1');
}

const widest = 65;
const mostScale = 30;
const usualScale = 3;

/** A decimal declared without precision takes the scale of its value. */
function decimalSpelling(declared: SqlType & { name: 'decimal' }, value: string | null): string {
  const { precision, scale = 0 } = declared;
  if (precision !== undefined) return `DECIMAL(${Math.min(precision, widest)},${Math.min(scale, mostScale)})`;
  const valueScale = value === null ? usualScale : (value.split('.')[1]?.length ?? 0);
  return `DECIMAL(${widest},${Math.min(valueScale, mostScale)})`;
}

/** The offsets of the operands of LIMIT and OFFSET. */
function limitOffsets(tokens: readonly SqlToken[]): ReadonlySet<number> {
  const found = new Set<number>();
  tokens.forEach(({ type, start }, index) => {
    if (type !== 'variable') return;
    const wordBefore = (back: number): string => tokens[index - back]?.text.toLowerCase() ?? '';
    if (limitWords.has(wordBefore(1)) || (wordBefore(1) === ',' && wordBefore(3) === 'limit')) found.add(start);
  });
  return found;
}

const limitWords: ReadonlySet<string> = new Set(['limit', 'offset', 'first', 'next', 'examined']);
