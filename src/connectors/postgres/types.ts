import type { Column, ColumnKind } from '../../core/column.ts';
import type { TextCell } from '../cells/text-cells.ts';
import { arrayCell, type ByteCell, byteCellOf, createCompositeCell, textCellOf, type TypedColumns } from './cells.ts';
import type { Session } from './session.ts';
import type { Field } from './wire.ts';

interface KnownType {
  readonly kind: ColumnKind;
  readonly cell: TextCell;
}

const deepest = 8; // composites in arrays in composites

/** The types of one database, cached for all its connections. */
export class Types {
  readonly #types = new Map<number, KnownType>();
  readonly #spellings = new Map<string, string>(); // by oid and modifier

  async columnsOf(session: Session, fields: readonly Field[]): Promise<TypedColumns> {
    const unspelled = fields.filter((field) => !this.#spellings.has(keyOf(field)));
    if (unspelled.length > 0) await this.#spell(session, unspelled);
    const columns: Column[] = [];
    const cells: ByteCell[] = [];
    for (const field of fields) {
      const { kind, cell } = await this.#type(session, field.type);
      columns.push({ name: field.name, type: this.#spellings.get(keyOf(field)) ?? 'unknown', kind });
      cells.push(byteCellOf(kind, cell));
    }
    return { columns, cells };
  }

  async #spell(session: Session, fields: readonly Field[]): Promise<void> {
    const rows = await session.rows(
      `SELECT t.oid, t.modifier, pg_catalog.format_type(t.oid, nullif(t.modifier, -1))
       FROM unnest($1::oid[], $2::int4[]) AS t(oid, modifier)`,
      [listOf(fields.map(({ type }) => type)), listOf(fields.map(({ modifier }) => modifier))],
    );
    for (const [oid, modifier, spelling] of rows) this.#spellings.set(`${oid}/${modifier}`, spelling ?? 'unknown');
  }

  async #type(session: Session, oid: number, depth = 0): Promise<KnownType> {
    const kind = builtIn.find(([, oids]) => oids.includes(oid))?.[0];
    if (kind !== undefined) return { kind, cell: textCellOf(kind) };
    const known = this.#types.get(oid) ?? (await this.#lookUp(session, oid, depth));
    this.#types.set(oid, known);
    return known;
  }

  async #lookUp(session: Session, oid: number, depth: number): Promise<KnownType> {
    const [found] = await session.rows(lookUp, [String(oid)]);
    const [type, category, base, element, delimiter, attributes] = found ?? [];
    if (depth < deepest && type === 'd' && base) return this.#type(session, Number(base), depth + 1);
    if (depth < deepest && element) {
      const { cell } = await this.#type(session, Number(element), depth + 1);
      return { kind: 'json', cell: arrayCell(cell, delimiter ?? ',') };
    }
    if (depth < deepest && type === 'c' && attributes) {
      const members = [];
      for (const { name, type: member } of readAttributes(attributes)) {
        members.push({ name, cell: (await this.#type(session, member, depth + 1)).cell });
      }
      return { kind: 'json', cell: createCompositeCell(members) };
    }
    const kind = type === 'e' || category === 'S' ? 'text' : 'other';
    return { kind, cell: textCellOf(kind) };
  }
}

/** The kind of the type, the base type of a domain, and the element type of a true array. */
const lookUp = `
  SELECT t.typtype, t.typcategory, nullif(t.typbasetype, 0), e.oid, e.typdelim,
    (SELECT json_agg(json_build_object('name', a.attname, 'type', a.atttypid::int8) ORDER BY a.attnum)
     FROM pg_catalog.pg_attribute a
     WHERE a.attrelid = t.typrelid AND t.typrelid <> 0 AND a.attnum > 0 AND NOT a.attisdropped)
  FROM pg_catalog.pg_type t
  LEFT JOIN pg_catalog.pg_type e ON e.typarray = t.oid
  WHERE t.oid = $1::oid`;

const keyOf = ({ type, modifier }: Field): string => `${type}/${modifier}`;
const listOf = (numbers: readonly number[]): string => `{${numbers.join(',')}}`;

function readAttributes(json: string): { name: string; type: number }[] {
  return JSON.parse(json);
}

/** The types of every PostgreSQL, by oid. */
const builtIn: readonly (readonly [ColumnKind, readonly number[]])[] = [
  ['boolean', [16]],
  ['binary', [17]],
  ['integer', [20, 21, 23, 26]], // 26: oid
  ['text', [18, 19, 25, 1042, 1043]], // "char", name, text, char(n), varchar(n)
  ['json', [114, 3802]],
  ['float', [700, 701]],
  ['decimal', [1700]],
  ['date', [1082]],
  ['time', [1083, 1266]], // without and with a zone
  ['timestamp', [1114]],
  ['timestamptz', [1184]],
  ['interval', [1186]],
  ['uuid', [2950]],
];
