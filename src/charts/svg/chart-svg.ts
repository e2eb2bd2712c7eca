import type { BuiltChart, ChartSurface } from '../built-chart.ts';
import type { ChartConfig } from '../chart-config.ts';
import { init, setPlatformAPI } from '../echarts.ts';
import { drawSvg } from './draw-svg.ts';

/** The chart as a picture, with the parts of ECharts that a browser loads. */
export const chartSvg = (built: BuiltChart, config: ChartConfig, surface: ChartSurface): string =>
  drawSvg({ init, setPlatformAPI }, built, config, surface);
