import {
  BarChart,
  BoxplotChart,
  HeatmapChart,
  LineChart,
  PieChart,
  RadarChart,
  ScatterChart,
  TreemapChart,
} from 'echarts/charts';
import {
  AriaComponent,
  DataZoomInsideComponent,
  DataZoomSliderComponent,
  GridComponent,
  LegendScrollComponent,
  PolarComponent,
  RadarComponent,
  TitleComponent,
  TooltipComponent,
  VisualMapContinuousComponent,
} from 'echarts/components';
import { type EChartsType, init, setPlatformAPI, use } from 'echarts/core';
import { LabelLayout } from 'echarts/features';
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers';
import type { BuiltChart } from './built-chart.ts';
import type { ChartConfig } from './chart-config.ts';

// only what the twelve types need, to keep the browser bundle small
use([
  BarChart,
  BoxplotChart,
  HeatmapChart,
  LineChart,
  PieChart,
  RadarChart,
  ScatterChart,
  TreemapChart,
  AriaComponent,
  DataZoomInsideComponent,
  DataZoomSliderComponent,
  GridComponent,
  LegendScrollComponent,
  PolarComponent,
  RadarComponent,
  TitleComponent,
  TooltipComponent,
  VisualMapContinuousComponent,
  LabelLayout,
  CanvasRenderer,
  SVGRenderer,
]);

export { type EChartsType, init, setPlatformAPI };

/** SVG by default; a canvas handles thousands of dots better. */
export const rendererFor = (built: BuiltChart, { chartType }: ChartConfig): 'svg' | 'canvas' =>
  chartType === 'scatter' && built.drawn > 2000 ? 'canvas' : 'svg';
