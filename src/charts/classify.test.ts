import { describe, expect, it } from 'vitest';
import type { ColumnDefinition } from '../catalog/query.ts';
import type { ColumnKind } from '../core/column.ts';
import { labelColumns, type ValuesSeen } from '../results/columns.ts';
import { classifyColumns } from './classify.ts';

type Given = readonly [name: string, kind: ColumnKind, seen?: ValuesSeen];

function classify(given: readonly Given[], definitions: readonly ColumnDefinition[] = []) {
  const columns = labelColumns(
    given.map(([name, kind]) => ({ name, type: '', kind })),
    definitions,
  );
  return classifyColumns(
    columns,
    definitions,
    given.map(([, , seen]) => seen ?? 'nothing'),
  );
}

const classOf = (given: Given, definition?: Omit<ColumnDefinition, 'name'>) => {
  const [column] = classify([given], definition ? [{ name: given[0], ...definition }] : []);
  return `${column?.class} ${column?.nature}`;
};

describe('classifyColumns', () => {
  it.each<[Given, string]>([
    [['amount', 'decimal'], 'numeric number'],
    [['total', 'integer'], 'numeric number'],
    [['ratio', 'float'], 'numeric number'],
    [['order_id', 'integer'], 'numeric id'],
    [['CustomerID', 'integer'], 'numeric id'],
    [['paid', 'integer'], 'numeric number'],
    [['valid', 'integer'], 'numeric number'],
    [['is_open', 'boolean'], 'categorical boolean'],
    [['day', 'date'], 'categorical time'],
    [['at', 'timestamp'], 'categorical time'],
    [['at', 'timestamptz'], 'categorical time'],
    [['lasted', 'interval'], 'categorical time'],
    [['zip', 'text'], 'categorical text'],
    [['guid', 'uuid'], 'categorical text'],
    [['doc', 'json'], 'categorical text'],
    [['raw', 'binary'], 'categorical text'],
    [['mood', 'other'], 'categorical text'],
    [['n', 'undeclared', 'numbers'], 'numeric number'],
    [['n', 'undeclared', 'whole numbers'], 'numeric number'],
    [['row_id', 'undeclared', 'whole numbers'], 'numeric id'],
    [['s', 'undeclared', 'others'], 'categorical text'],
    [['b', 'undeclared', 'booleans'], 'categorical boolean'],
    [['x', 'undeclared', 'nothing'], 'categorical text'],
  ])('%j is %s', (given, expected) => {
    expect(classOf(given)).toBe(expected);
  });

  it('prefers the class set by the author over the type', () => {
    expect(classOf(['year', 'integer'], { type: 'categorical' })).toBe('categorical text');
    expect(classOf(['day', 'date'], { type: 'categorical' })).toBe('categorical time');
    expect(classOf(['price', 'text'], { type: 'numeric' })).toBe('numeric number');
    expect(classOf(['order_id', 'integer'], { type: 'numeric' })).toBe('numeric number');
    expect(classOf(['order_id', 'integer'], { displayName: 'Order', type: 'categorical' })).toBe('categorical id');
  });

  it('follows the format set by the author', () => {
    expect(classOf(['customer', 'integer'], { format: { kind: 'id' } })).toBe('numeric id');
    expect(classOf(['customer', 'text'], { format: { kind: 'id' } })).toBe('categorical id');
    expect(classOf(['customer', 'integer'], { type: 'categorical', format: { kind: 'id' } })).toBe('categorical id');
    expect(classOf(['account_no', 'integer'], { format: { kind: 'currency' } })).toBe('numeric number');
    expect(classOf(['year', 'integer'], { format: { kind: 'text' } })).toBe('categorical text');
    expect(classOf(['day', 'date'], { format: { kind: 'text' } })).toBe('categorical time');
  });

  it('recognizes an id by its name or its label', () => {
    expect(classOf(['o_id', 'integer'], { displayName: 'Order' })).toBe('numeric id');
    expect(classOf(['o', 'integer'], { displayName: 'Order No' })).toBe('numeric id');
  });
});
