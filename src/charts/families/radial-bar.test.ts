import { describe, expect, it } from 'vitest';
import { alphabet, readPath, buildTestChart, formatWith } from '../../../test/support/results/build-test-chart.ts';

describe('a radial bar chart', () => {
  it('shows the six largest values against a round maximum', () => {
    const { option, drawn } = buildTestChart('radialBar', alphabet(8));
    expect(drawn).toBe(6);
    expect(readPath(option, 'angleAxis', 'max')).toBe(8);
    expect(readPath(option, 'series', 6)).toMatchObject({ data: [0, 1, 2, 3, 4, 5], silent: true });
  });

  it.each([
    ['SLO attainment %', 58, 100, '58%'],
    ['return_rate', 58, 100, '58%'],
    ['Rate', 58, 100, '58%'],
    ['Percent', 120, 120, '120'],
    ['Iterations', 58, 60, '58'],
  ])('derives the maximum from the name %s', (dataColumn, value, whole, text) => {
    const { option } = buildTestChart('radialBar', [['a', value]], {}, dataColumn);
    expect(readPath(option, 'angleAxis', 'max')).toBe(whole);
    const labeled = buildTestChart('radialBar', [['a', value]], { showDataLabels: true }, dataColumn).option;
    expect(formatWith(readPath(labeled, 'radiusAxis', 'axisLabel', 'formatter'), 'a')).toBe(`a  {value|${text}}`);
  });

  it('does not style parts of names as values', () => {
    const { option } = buildTestChart('radialBar', [['{value|9}', 5]], { showDataLabels: true });
    expect(formatWith(readPath(option, 'radiusAxis', 'axisLabel', 'formatter'), '{value|9}')).not.toContain('{value|9}');
  });
});
