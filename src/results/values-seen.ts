import type { Column } from '../core/column.ts';
import type { SqlValue } from '../core/sql-value.ts';
import type { ValuesSeen } from './classified-column.ts';
import type { RowBatch } from './row-stream.ts';

export interface ValueObserver {
  look(batch: RowBatch, row: number): void;
  /** By column; empty if no column needs it. */
  seen(): readonly ValuesSeen[];
}

export function observeValues(columns: readonly Column[]): ValueObserver {
  if (!columns.some(({ kind }) => kind === 'undeclared')) return inactive;
  const seen: ValuesSeen[] = columns.map(() => 'nothing');
  const undeclared = columns.flatMap((column, index) => (column.kind === 'undeclared' ? [index] : []));
  return {
    look(batch, row) {
      for (const column of undeclared) {
        const before = seen[column] ?? 'nothing';
        if (before !== 'others') seen[column] = combineSeen(before, kindOf(batch.value(row, column)));
      }
    },
    seen: () => seen,
  };
}

/** For results whose types are all declared. */
const inactive: ValueObserver = { look: () => undefined, seen: () => [] };

function kindOf(value: SqlValue): ValuesSeen {
  if (value === null) return 'nothing';
  if (typeof value === 'boolean') return 'booleans';
  if (typeof value === 'bigint') return 'whole numbers';
  if (typeof value === 'number') return Number.isInteger(value) ? 'whole numbers' : 'numbers';
  return 'others';
}

function combineSeen(before: ValuesSeen, now: ValuesSeen): ValuesSeen {
  if (now === 'nothing' || now === before) return before;
  if (before === 'nothing') return now;
  const bothNumbers = isNumbers(before) && isNumbers(now);
  return bothNumbers ? 'numbers' : 'others';
}

const isNumbers = (seen: ValuesSeen) => seen === 'numbers' || seen === 'whole numbers';
