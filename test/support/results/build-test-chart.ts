import { buildChart } from '../../../src/charts/build-chart.ts';
import type { BuiltChart, ChartColumn, ChartRow, ChartSurface } from '../../../src/charts/built-chart.ts';
import { collectChart } from '../../../src/charts/summary/chart-data.ts';
import { type ChartConfig, type ChartType, chartConfigDefaults } from '../../../src/core/chart-config.ts';

export type Cells = readonly (readonly [label: unknown, value: unknown])[];

export interface BuiltOptions extends Partial<ChartConfig> {
  readonly label?: Partial<ChartColumn>;
  readonly surface?: Partial<ChartSurface>;
  readonly allLabels?: boolean;
}

/** A chart with the columns `Label` and `data`. */
export function buildTestChart(
  type: ChartType,
  cells: Cells,
  { label, surface, allLabels, ...changes }: BuiltOptions = {},
  data = 'Value',
): BuiltChart {
  const columns: readonly ChartColumn[] = [
    { name: 'Label', class: 'categorical', nature: 'text', ...label },
    { name: data, class: 'numeric', nature: 'number' },
  ];
  const rows = cells.map(([first, second]) => ({ Label: first, [data]: second }));
  const config = { ...chartConfigDefaults, chartType: type, labelColumn: 'Label', dataColumn: data, ...changes };
  const drawnOn = { width: 800, theme: 'light', ...surface } as const;
  return buildChart(columns, collectChart(columns, rows, config, { allLabels }), config, drawnOn);
}

/** The chart of a result with these rows. */
export const buildFromRows = (
  columns: readonly ChartColumn[],
  rows: readonly ChartRow[],
  config: ChartConfig,
  surface: ChartSurface,
): BuiltChart => buildChart(columns, collectChart(columns, rows, config), config, surface);

/** The value at a path of an option: `at(option, 'series', 0, 'data')`. */
export function readPath(option: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    option,
  );
}

/** Calls a formatter of an option. */
export function formatWith(formatter: unknown, ...args: readonly unknown[]): string {
  if (typeof formatter !== 'function') throw new Error('not a formatter');
  return String(formatter(...args));
}

export const alphabet = (count: number): Cells => Array.from({ length: count }, (_, index) => [`Label ${index + 1}`, index + 1]);
