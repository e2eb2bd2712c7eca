import { describe, expect, it } from 'vitest';
import type { ColumnDefinition } from '../catalog/query.ts';
import type { ValuesSeen } from '../results/classified-column.ts';
import type { ColumnKind } from '../results/column.ts';
import { labelColumns } from '../results/labels.ts';
import { chartDefaults, classifyColumns } from './classify.ts';

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
  });

  it('recognises an id by its name or its label', () => {
    expect(classOf(['o_id', 'integer'], { displayName: 'Order' })).toBe('numeric id');
    expect(classOf(['o', 'integer'], { displayName: 'Order No' })).toBe('numeric id');
  });
});

describe('chartDefaults', () => {
  const defaults = (given: readonly Given[]) => chartDefaults(classify(given));

  it('chooses the first time, text, boolean or id as label, and the last number that is not an id as data', () => {
    expect(
      defaults([
        ['order_id', 'integer'],
        ['Region', 'text'],
        ['Units', 'integer'],
        ['Revenue', 'decimal'],
      ]),
    ).toEqual({ label: 'Region', data: 'Revenue' });
    expect(
      defaults([
        ['Region', 'text'],
        ['Day', 'date'],
        ['Revenue', 'decimal'],
        ['order_id', 'integer'],
      ]),
    ).toEqual({ label: 'Day', data: 'Revenue' });
    expect(
      defaults([
        ['order_id', 'integer'],
        ['Revenue', 'decimal'],
      ]),
    ).toEqual({ label: 'order_id', data: 'Revenue' });
  });

  it('falls back to any column', () => {
    expect(
      defaults([
        ['a', 'decimal'],
        ['b', 'decimal'],
      ]),
    ).toEqual({ label: 'a', data: 'b' });
    expect(defaults([['a', 'decimal']])).toEqual({ label: 'a', data: 'a' });
    expect(
      defaults([
        ['Region', 'text'],
        ['order_id', 'integer'],
      ]),
    ).toEqual({ label: 'Region', data: 'order_id' });
    expect(defaults([])).toEqual({ label: null, data: null });
  });
});
