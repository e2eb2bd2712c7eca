import type { ChartConfig } from './chart-config.ts';
import type { Formats } from './formats.ts';
import type { ChartTheme } from './option/theme.ts';
import type { Points } from './points.ts';

/** Everything that a chart family needs to draw. */
export interface Scene {
  readonly config: ChartConfig;
  readonly width: number;
  readonly height: number;
  readonly theme: ChartTheme;
  readonly formats: Formats;
  readonly label: string; // printable names of the two columns
  readonly data: string;
  readonly points: Points;
}

export type Option = Readonly<Record<string, unknown>>;

export interface Drawn {
  readonly option: Option; // merged into the common option
  readonly drawn: number;
  readonly notes: readonly string[];
}

/** Shown instead of a chart: the problem and what to do. */
export interface Message {
  readonly head: string;
  readonly advice: string;
}

export type ChartFamily = (scene: Scene) => Drawn | Message;
