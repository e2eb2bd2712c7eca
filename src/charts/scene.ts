import type { ChartConfig } from '../core/chart-config.ts';
import type { DrawingZoom } from './built-chart.ts';
import type { Formats } from './formats.ts';
import type { ChartTheme } from './option/theme.ts';
import type { LabelKind, Point } from './points.ts';
import type { Box } from './summary/boxes.ts';
import type { OtherLabels } from './summary/summarize.ts';

/** The values of one column, or of the rows with one value of the series column. */
export interface Series {
  readonly name: string; // unique in the chart
  readonly full?: Formats['full']; // a value of it, for tooltips
  readonly points: readonly Point[];
}

export interface Scene {
  readonly config: ChartConfig;
  readonly width: number;
  readonly height: number; // as configured
  readonly still: boolean; // a static picture without scrolling and zoom
  readonly zoom: DrawingZoom; // of charts without axes
  readonly theme: ChartTheme;
  readonly formats: Formats; // of what is measured
  readonly labelFormats: Formats;
  readonly label: string; // printable names of the label column and of what is measured
  readonly data: string;
  readonly labels: LabelKind;
  readonly points: readonly Point[]; // of the first series, one for each row
  readonly series: readonly Series[]; // at least one
  readonly boxes: readonly (Box & { readonly label: string })[]; // of a box plot, instead of points
  readonly missing: number; // values that are null
  readonly others: OtherLabels | null; // the label that combines the smaller ones
}

/** Whether the chart is as narrow as a phone. */
export const isNarrow = ({ width }: Pick<Scene, 'width'>): boolean => width < 420;

export type Option = Readonly<Record<string, unknown>>;

export interface Drawn {
  readonly option: Option; // merged into the common option
  readonly height?: number; // px, if more than configured
  readonly drawn: number;
  readonly notes: readonly string[];
}

/** Shown instead of a chart: the problem and what to do. */
export interface Message {
  readonly head: string;
  readonly advice: string;
}

export type ChartFamily = (scene: Scene) => Drawn | Message;
