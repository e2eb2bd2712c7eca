import type { ColumnClass, ColumnNature } from '../results/classified-column.ts';

/** A column as charts need it: its label, its class and, where known, what its values are. */
export interface ChartColumn {
  readonly name: string;
  readonly class: ColumnClass;
  readonly nature?: ColumnNature;
}

export type ChartRow = Readonly<Record<string, unknown>>; // a row as JSON gives it, keyed by column label

/** Where the chart is drawn; not a choice of its author. */
export interface ChartSurface {
  readonly width: number; // px
  readonly theme: 'light' | 'dark';
  readonly locale?: string; // en-US unless said
}

export interface BuiltChart {
  readonly option: Readonly<Record<string, unknown>>; // for echarts.setOption
  readonly notes: readonly string[]; // said under the chart: "12 rows with the same label were added up"
  readonly empty: boolean; // nothing to draw: the option holds a message
  readonly drawn: number; // marks drawn
  readonly description: string; // the chart in a sentence or two, for those who do not see it
}
