import { renderPlaceholders } from '../../catalog/placeholders.ts';
import type { BoundValue, SqlType } from '../../sql-value.ts';
import { ConnectorError } from '../connector.ts';

/** An author's text as PostgreSQL takes it, and what to bind, in order. */
export interface RenderedSql {
  readonly source: string;
  readonly sql: string;
  readonly types: readonly number[]; // oids
  readonly values: readonly (string | null)[];
  /** The text between the placeholders, and the name of each: together they are the source. */
  readonly pieces: readonly string[];
  readonly names: readonly string[];
  readonly marks: readonly string[]; // what stands for each name: `$1`
}

/** `@Region` becomes `$1`, whose type is declared apart from the text. A name that is used twice is bound once. */
export function renderParameters(source: string, parameters: readonly BoundValue[]): RenderedSql {
  if (source.includes('\0')) throw new ConnectorError('invalid', 'The SQL contains a zero byte.');
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const { sql: gaps, occurrences: names } = renderPlaceholders(source, 'postgres', [...byName.keys()], () => '\0');
  const pieces = gaps.split('\0');
  const used = [...new Set(names)].flatMap((name) => byName.get(name) ?? []);
  const marks = names.map((name) => `$${used.findIndex((parameter) => parameter.name === name) + 1}`);
  return {
    source,
    sql: pieces.map((piece, index) => (index === 0 ? piece : marks[index - 1] + piece)).join(''),
    types: used.map(({ type }) => typeOf(type)),
    values: used.map(({ type, value }) => (value === null ? null : textOf(type, value))),
    pieces,
    names,
    marks,
  };
}

/** Where the author wrote what stands at an offset of the rendered text. */
export function sourceOffset(offset: number, { pieces, names, marks }: RenderedSql): number {
  let rendered = 0;
  let source = 0;
  for (const [index, piece] of pieces.entries()) {
    if (offset < rendered + piece.length) return source + offset - rendered;
    rendered += piece.length;
    source += piece.length;
    const mark = marks[index]?.length ?? 0;
    if (offset < rendered + mark) return source;
    rendered += mark;
    source += names[index]?.length ?? 0;
  }
  return source;
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
  json: 3802, // jsonb: json itself has next to no operators
  binary: 17,
};
const int2 = 21;
const int4 = 23;
const int8 = 20;

function typeOf(type: SqlType): number {
  if (type.name === 'float') return type.bits === 32 ? 700 : 701;
  if (type.name !== 'integer') return oids[type.name];
  // the next larger one holds what has no sign
  const bits = type.unsigned ? type.bits * 2 : type.bits;
  if (bits <= 16) return int2;
  if (bits === 32) return int4;
  return bits === 64 ? int8 : oids.decimal;
}

const textOf = (type: SqlType, value: string): string =>
  type.name === 'binary' ? `\\x${Buffer.from(value, 'base64').toString('hex')}` : value;
