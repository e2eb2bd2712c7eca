import type { BuiltChart } from '../../src/charts/built-chart.ts';

/** Zooming and panning: of the axes, or of the drawing itself. */
export interface ChartView {
  zoom(factor: number): void;
  pan(share: number): void;
  reset(): void;
  /** The chart option with the current zoom applied. */
  zoomed(option: BuiltChart['option']): BuiltChart['option'];
  dispose(): void;
}
