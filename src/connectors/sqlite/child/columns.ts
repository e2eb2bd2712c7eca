import type { StatementSync } from 'node:sqlite';
import type { Column, ColumnKind } from '../../../core/column.ts';

const undeclared = 'ANY'; // SQLite's name for a column of any type

export const columnsOf = (statement: StatementSync): Column[] =>
  statement.columns().map(({ name, type }) => ({ name, type: type || undeclared, kind: kindOf(type) }));

/** By the declared type of the column. Cells may have other types: each is converted by its own. */
function kindOf(declared: string | null): ColumnKind {
  const type = (declared ?? '').trim().toUpperCase();
  if (type === '' || type === undeclared) return 'undeclared';
  return kinds.find(([pattern]) => pattern.test(type))?.[1] ?? 'other';
}

/** Common type names; others follow SQLite's rules of affinity. */
const kinds: readonly (readonly [RegExp, ColumnKind])[] = [
  [/^BOOL(EAN)?\b/, 'boolean'],
  [/^DATE$/, 'date'],
  [/^(TIMESTAMPTZ|(TIMESTAMP|DATETIME)( ?\(\d+\))? WITH TIME ZONE|DATETIMEOFFSET)\b/, 'timestamptz'],
  [/^(TIMESTAMP|DATETIME|SMALLDATETIME)/, 'timestamp'],
  [/^TIME\b/, 'time'],
  [/^INTERVAL\b/, 'interval'],
  [/^JSON$/, 'json'],
  [/^(UUID|GUID|UNIQUEIDENTIFIER)$/, 'uuid'],
  [/^(DEC(IMAL)?|NUMERIC|NUMBER|MONEY|CURRENCY)\b/, 'decimal'],
  [/POINT/, 'other'],
  [/INT/, 'integer'],
  [/CHAR|CLOB|TEXT|STRING/, 'text'],
  [/BLOB|BINARY|BYTEA/, 'binary'],
  [/REAL|FLOA|DOUB/, 'float'],
];
