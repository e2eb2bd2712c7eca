import type { ChartColumn, ChartRow, ChartSurface } from '../../../src/charts/built-chart.ts';
import { type ChartConfig, type ChartType, chartConfigDefaults } from '../../../src/core/chart-config.ts';

/** A chart with everything that determines its picture. */
export interface PictureCase {
  readonly name: string;
  readonly columns: readonly ChartColumn[];
  readonly rows: readonly ChartRow[];
  readonly config: ChartConfig;
  readonly surface: ChartSurface;
}

export interface Table {
  readonly columns: readonly [label: ChartColumn, data: ChartColumn, ...more: readonly ChartColumn[]];
  readonly rows: readonly ChartRow[];
}

/** A picture of the first two columns, unless `more` names others. */
export function picture(
  name: string,
  type: ChartType,
  table: Table,
  more: Partial<ChartConfig & ChartSurface> = {},
): PictureCase {
  const [label, data] = table.columns;
  const { width = 800, theme = 'light', ...config } = more;
  return {
    name,
    columns: table.columns,
    rows: table.rows,
    config: { ...chartConfigDefaults, chartType: type, labelColumn: label.name, dataColumn: data.name, ...config },
    surface: { width, theme: theme === 'dark' ? 'dark' : 'light' },
  };
}

export const dark = (given: PictureCase): PictureCase => ({
  ...given,
  name: `${given.name}-dark`,
  surface: { ...given.surface, theme: 'dark' },
});

/** The same on a phone. */
export const onPhone = (given: PictureCase): PictureCase => ({
  ...given,
  name: `phone-${given.name}`,
  surface: { ...given.surface, width: 380 },
});
