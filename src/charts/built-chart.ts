import type { ColumnFormat } from '../core/column-format.ts';
import type { ClassifiedColumn, ColumnClass, ColumnNature } from '../results/columns.ts';

/** A column with its label, class and, if known, the nature of its values and its author's format. */
export interface ChartColumn {
  readonly name: string;
  readonly class: ColumnClass;
  readonly nature?: ColumnNature;
  readonly format?: ColumnFormat;
}

export const toChartColumn = ({ label, class: columnClass, nature, format }: ClassifiedColumn): ChartColumn => ({
  name: label,
  class: columnClass,
  nature,
  ...(format && { format }),
});

export type ChartRow = Readonly<Record<string, unknown>>; // a row as parsed from JSON, keyed by column label

/** The surface that the chart is drawn on; not chosen by its author. */
export interface ChartSurface {
  readonly width: number; // px
  readonly theme: 'light' | 'dark';
  readonly still?: boolean; // a static picture: no sliders
  readonly zoom?: DrawingZoom; // of a chart without axes
}

/** How a drawing is enlarged, and by how many px its center is moved. */
export interface DrawingZoom {
  readonly factor: number;
  readonly x: number;
  readonly y: number;
}

export interface BuiltChart {
  readonly option: Readonly<Record<string, unknown>>; // for echarts.setOption
  readonly height: number; // px; more than configured if every label would not fit
  readonly notes: readonly string[]; // shown below the chart: "12 rows with the same label were added up"
  readonly empty: boolean; // the option contains a message instead of a chart
  readonly drawn: number; // number of marks
  readonly description: string; // one or two sentences for screen readers
}
