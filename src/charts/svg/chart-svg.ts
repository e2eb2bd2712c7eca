import type { BuiltChart, ChartSurface } from '../built-chart.ts';
import type { ChartConfig } from '../chart-config.ts';
import { init, setPlatformAPI } from '../echarts.ts';
import { drawSvg } from './draw-svg.ts';

/** The chart as SVG, drawn with the ECharts modules of the browser bundle. */
export const chartSvg = (built: BuiltChart, config: ChartConfig, surface: ChartSurface): string =>
  drawSvg({ init, setPlatformAPI }, built, config, surface);
