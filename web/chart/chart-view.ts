import type { BuiltChart } from '../../src/charts/built-chart.ts';

/** What zoom and pan mean: other ends of an axis, or another place of the drawing. */
export interface ChartView {
  zoom(factor: number): void;
  pan(share: number): void;
  reset(): void;
  /** The option with what is seen now as its beginning. */
  seen(option: BuiltChart['option']): BuiltChart['option'];
  dispose(): void;
}
