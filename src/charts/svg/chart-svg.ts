import type { BuiltChart, ChartSurface } from '../built-chart.ts';
import { init, setPlatformAPI } from '../echarts.ts';
import { drawSvg } from './draw-svg.ts';

/** The chart as SVG, drawn with the ECharts modules of the browser bundle. */
export const chartSvg = (built: BuiltChart, surface: ChartSurface): string => drawSvg({ init, setPlatformAPI }, built, surface);
