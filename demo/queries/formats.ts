import type { ColumnFormat } from '../../src/core/column-format.ts';

export const euros: ColumnFormat = { kind: 'currency', currency: 'EUR' };
export const percent: ColumnFormat = { kind: 'percent', decimals: 1 };
export const id: ColumnFormat = { kind: 'id' };
