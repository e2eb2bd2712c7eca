import { describe, expect, it } from 'vitest';
import { buildTestChart, type Cells } from '../../test/support/results/build-test-chart.ts';

const mixed: Cells = [
  ['a', 3],
  ['b', -1],
  ['c', 0],
  ['d', null],
  ['e', 1],
];

describe.each(['pie', 'donut', 'polarArea', 'radialBar', 'treemap'] as const)('a chart of type %s', (type) => {
  it('leaves out negative values and notes it', () => {
    const { notes, drawn } = buildTestChart(type, mixed);
    expect(drawn).toBe(2);
    expect(notes).toEqual(['1 row has no “Value”.', '1 negative value cannot be shown in this chart.']);
  });

  it('shows a message if no value is positive', () => {
    const { empty, description } = buildTestChart(type, [
      ['a', -1],
      ['b', 0],
    ]);
    expect(empty).toBe(true);
    expect(description).toContain('needs values above zero');
  });
});
