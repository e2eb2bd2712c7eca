import { expect, it } from 'vitest';
import type { ColumnFormat } from '../core/column-format.ts';
import { formatsFor } from './formats.ts';

const printed = (values: readonly number[], format?: ColumnFormat) => {
  const figure = formatsFor(format).figures({ low: 0, high: Math.max(...values) }, values);
  return values.map(figure).join(' ');
};

it('prints the numbers of a chart in one unit with the same decimals', () => {
  expect(printed([385_120, 1_590_478])).toBe('0.39M 1.59M');
  expect(printed([9_000, 16_000, 98_000])).toBe('9K 16K 98K');
  expect(printed([12_500, 98_000])).toBe('12.5K 98.0K');
  expect(printed([64, 1_250, 98_000])).toBe('64 1,250 98,000');
  expect(printed([4e10, 1e14])).toBe('0.04T 100.00T');
  expect(printed([5e-7, 1.2e-6])).toBe('0.0000005 0.0000012');
  expect(printed([0.5, 12.345])).toBe('0.50 12.35');
  expect(printed([1, 2, 3])).toBe('1 2 3');
  expect(printed([0, 2, 12.5, 3e7, 9.223e18])).toBe('0 2 12.5 3E7 9.22E18');
  expect(printed([0, 2e-12])).toBe('0 2E-12');
  expect(printed([0, -0.4, 2])).toBe('0.0 -0.4 2.0');
});

it('gives an axis the decimals that tell its steps apart', () => {
  const ticks = (low: number, high: number, values: readonly number[]) =>
    values.map(formatsFor().figures({ low, high })).join(' ');
  expect(ticks(0, 1_590_000, [0, 500_000, 1_500_000])).toBe('0 0.5M 1.5M');
  expect(ticks(1_591_000, 1_594_000, [1_591_500, 1_592_000])).toBe('1.5915M 1.592M');
  expect(ticks(0, 2, [0.5, 1])).toBe('0.5 1');
});

it('prints amounts, shares, sizes and durations as their column says', () => {
  expect(printed([385_120, 1_590_478], { kind: 'currency', currency: 'EUR' })).toBe('€0.39M €1.59M');
  expect(printed([12.5, 3], { kind: 'currency', currency: 'EUR' })).toBe('€12.50 €3.00');
  expect(printed([0.25, 0.125], { kind: 'percent' })).toBe('25.0% 12.5%');
  expect(printed([1_500_000, 900_000], { kind: 'bytes' })).toBe('1.5 MB 0.9 MB');
  expect(printed([2e17, 2.5e18], { kind: 'bytes' })).toBe('0.2 EB 2.5 EB');
  expect(printed([2e17, 3e18], { kind: 'currency', currency: 'EUR' })).toBe('€2E17 €3E18');
  expect(printed([5, 3e18], { kind: 'number', unit: 'kg' })).toBe('5 kg 3E18 kg');
  expect(printed([5400, 9000], { kind: 'duration' })).toBe('1.5 h 2.5 h');
  expect(printed([12, 30], { kind: 'number', unit: 'kg', decimals: 1 })).toBe('12.0 kg 30.0 kg');
});

it('writes every digit that matters in tooltips, with the same decimals', () => {
  const full = (values: readonly number[], format?: ColumnFormat) => values.map(formatsFor(format, values).full);
  expect(full([412_500, 12.5])).toEqual(['412,500.00', '12.50']);
  expect(full([412_500, 12])).toEqual(['412,500', '12']);
  expect(full([0.00123, 1.5e20])).toEqual(['0.00123', '1.5E20']);
  expect(full([1_590_477.67], { kind: 'currency', currency: 'EUR' })).toEqual(['€1,590,477.67']);
  expect(full([0.25, 0.125], { kind: 'percent' })).toEqual(['25.0%', '12.5%']);
  expect(full([5025], { kind: 'duration' })).toEqual(['1:23:45']);
  expect(full([2_000.4], { kind: 'number', unit: 'kg' })).toEqual(['2,000.40 kg']);
  expect(formatsFor().full(null)).toBe('–');
});
