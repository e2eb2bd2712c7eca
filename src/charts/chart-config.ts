/** The twelve types in the order of the wizard, with their display names. */
export const chartTypes = [
  { type: 'bar', name: 'Bar Chart' },
  { type: 'line', name: 'Line Chart' },
  { type: 'area', name: 'Area Chart' },
  { type: 'scatter', name: 'Scatter Chart' },
  { type: 'pie', name: 'Pie Chart' },
  { type: 'donut', name: 'Doughnut Chart' },
  { type: 'polarArea', name: 'Polar Area Chart' },
  { type: 'radar', name: 'Radar Chart' },
  { type: 'radialBar', name: 'Radial Bar Chart' },
  { type: 'heatmap', name: 'Heatmap Chart' },
  { type: 'treemap', name: 'Treemap Chart' },
  { type: 'boxPlot', name: 'Box Plot Chart' },
] as const;

export type ChartType = (typeof chartTypes)[number]['type'];
export type LegendPosition = 'top' | 'bottom' | 'left' | 'right';
export type BarOrientation = 'vertical' | 'horizontal';
/** `auto` follows the reader's system. */
export type ChartTheme = 'auto' | 'light' | 'dark';

/** The options of the wizard and of embed URLs; stored with an embed. */
export interface ChartConfig {
  readonly chartType: ChartType;
  readonly labelColumn: string;
  readonly dataColumn: string;
  readonly title: string;
  readonly chartHeight: number; // px
  readonly animationSpeed: number; // ms
  readonly showToolbar: boolean;
  readonly showDataLabels: boolean;
  readonly showGrid: boolean;
  readonly showLegend: boolean;
  readonly enableZoom: boolean;
  readonly enableAnimations: boolean;
  readonly barOrientation: BarOrientation;
  readonly barWidth: number; // percent of the available space
  readonly legendPosition: LegendPosition;
  readonly theme: ChartTheme;
  readonly patterns: boolean; // hatching in addition to colours, for colour-blind readers
}

export const chartConfigDefaults: Omit<ChartConfig, 'chartType' | 'labelColumn' | 'dataColumn'> = {
  title: '',
  chartHeight: 400,
  animationSpeed: 800,
  showToolbar: true,
  showDataLabels: false,
  showGrid: true,
  showLegend: true,
  enableZoom: true,
  enableAnimations: true,
  barOrientation: 'vertical',
  barWidth: 60,
  legendPosition: 'bottom',
  theme: 'auto',
  patterns: false,
};
