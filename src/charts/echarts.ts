import * as charts from 'echarts/charts';
import * as components from 'echarts/components';
import { type EChartsType, init, setPlatformAPI, use } from 'echarts/core';
import { LabelLayout } from 'echarts/features';
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers';
import type { ChartConfig } from '../core/chart-config.ts';
import type { BuiltChart } from './built-chart.ts';

// only what the types need, to keep the browser bundle small
use([
  charts.BarChart,
  charts.BoxplotChart,
  charts.HeatmapChart,
  charts.LineChart,
  charts.PieChart,
  charts.RadarChart,
  charts.ScatterChart,
  charts.TreemapChart,
  components.AriaComponent,
  components.DataZoomInsideComponent,
  components.DataZoomSliderComponent,
  components.GridComponent,
  components.LegendPlainComponent,
  components.PolarComponent,
  components.RadarComponent,
  components.TitleComponent,
  components.TooltipComponent,
  components.VisualMapContinuousComponent,
  LabelLayout,
  CanvasRenderer,
  SVGRenderer,
]);

export { type EChartsType, init, setPlatformAPI };

/** SVG by default; a canvas handles thousands of dots better. */
export const rendererFor = (built: BuiltChart, { chartType }: ChartConfig): 'svg' | 'canvas' =>
  chartType === 'scatter' && built.drawn > 2000 ? 'canvas' : 'svg';
