/** Types and values that are passed to and from databases. */

export type TypeFamily = 'text' | 'number' | 'bit' | 'date' | 'time' | 'uuid' | 'json' | 'binary';

/** A declared type, independent of its spelling (`nvarchar(50)` and `VARCHAR(50)` are both `{name: 'text', length: 50}`). */
export type SqlType =
  | { readonly name: 'text'; readonly length?: number }
  | { readonly name: 'integer'; readonly bits: 8 | 16 | 32 | 64; readonly unsigned: boolean }
  | { readonly name: 'decimal'; readonly precision?: number; readonly scale?: number }
  | { readonly name: 'float'; readonly bits: 32 | 64 }
  | { readonly name: 'bit' | 'date' | 'datetime' | 'datetimeoffset' | 'time' | 'uuid' | 'json' }
  | { readonly name: 'binary'; readonly length?: number };

/**
 * A cast parameter value, ready to bind. The value is canonical text, so that no digit is lost and equal values are equal texts:
 * integers `-12`, decimals `12.5`, floats shortest round-trip, bit `true`/`false`, `2026-01-31`, `2026-01-31T09:30:00.123`, `…Z`
 * in UTC for datetimeoffset, `09:30:00.5`, lower-case uuid, json as sent, binary base64.
 */
export interface BoundValue {
  readonly name: string; // '@Region'
  readonly type: SqlType;
  readonly value: string | null;
  readonly expression?: string; // the relative moment that the value was computed from, see relative-moment.ts
  readonly fromCaller?: true; // not sent: from the identity of the caller, see caller-identity.ts
}

/** The values of a list parameter. They are passed to a connector as one BoundValue each, see expandLists. */
export interface BoundList {
  readonly name: string;
  readonly type: SqlType;
  readonly items: readonly Pick<BoundValue, 'value' | 'expression'>[]; // empty: NULL
  readonly fromCaller?: true;
}

export type BoundParameter = BoundValue | BoundList;

/** The values of a list, or the only one. */
const itemsOf = (bound: BoundParameter): BoundList['items'] => ('items' in bound ? bound.items : [bound]);

/** The values that are not NULL. */
export const textsOf = (bound: BoundParameter | undefined): readonly string[] =>
  bound === undefined ? [] : itemsOf(bound).flatMap(({ value }) => value ?? []);

/** A cell: exact numbers are number, bigint or decimal text; other types are text as encoded on the wire. */
export type SqlValue = null | boolean | number | bigint | string | Uint8Array;
