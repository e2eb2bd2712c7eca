/** The types in the order of the wizard, with their display names. */
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

export const chartTypeName = (type: ChartType): string => chartTypes.find((each) => each.type === type)?.name ?? type;

/** What a type can show; the others say so in a note. */
export const severalSeries: ReadonlySet<ChartType> = new Set(['bar', 'line', 'area', 'scatter', 'radar', 'heatmap']);
export const stackable: ReadonlySet<ChartType> = new Set(['bar', 'area']);
/** These zoom and pan by the range of their axes, the others by the size of the drawing. */
export const withAxes: ReadonlySet<ChartType> = new Set(['bar', 'line', 'area', 'scatter', 'heatmap', 'boxPlot']);

/** Every row is a mark: nothing is aggregated or sorted. */
export const ofRows: ReadonlySet<ChartType> = new Set(['scatter', 'boxPlot']);
export const legendPositions = ['top', 'bottom', 'left', 'right'] as const;
export type LegendPosition = (typeof legendPositions)[number];
export const barOrientations = ['vertical', 'horizontal'] as const;
export type BarOrientation = (typeof barOrientations)[number];
/** `auto` follows the reader's system. */
export const chartThemes = ['auto', 'light', 'dark'] as const;
export type ChartTheme = (typeof chartThemes)[number];
/** How values with the same label become one; `none` keeps every row. */
export const aggregates = ['sum', 'average', 'count', 'min', 'max', 'none'] as const;
export type Aggregate = (typeof aggregates)[number];
/** The order of the labels; `none` is that of the rows. */
export const sortings = ['none', 'value', 'label'] as const;
export type SortBy = (typeof sortings)[number];
/** The unit of time that labels are grouped by; `auto` chooses it by the range. */
export const timeUnits = ['auto', 'none', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
export type TimeUnit = (typeof timeUnits)[number];
/** Whether several series are drawn beside each other, on top of each other, or as shares of 100 %. */
export const stackings = ['none', 'stacked', 'percent'] as const;
export type Stacked = (typeof stackings)[number];

/** The chart of a wizard or an embed; stored with an embed. */
export interface ChartConfig extends ChartOptions {
  readonly chartType: ChartType;
  readonly labelColumn: string;
  readonly dataColumn: string;
  readonly moreDataColumns: readonly string[]; // further series, each a column
  readonly seriesColumn: string | null; // further series, one for each of its values
  readonly aggregate: Aggregate;
  readonly sortBy: SortBy;
  readonly timeUnit: TimeUnit;
}

/** How a chart looks, whatever its columns are. */
export interface ChartOptions {
  readonly stacked: Stacked;
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
  readonly frameAncestors: string; // pages that may frame an embed, as in a CSP; empty: those of the settings
  readonly patterns: boolean; // hatching in addition to colors, for color-blind readers
}

/** All columns with values, in the order of their series. */
export const dataColumnsOf = ({ dataColumn, moreDataColumns }: Pick<ChartConfig, 'dataColumn' | 'moreDataColumns'>) => [
  dataColumn,
  ...moreDataColumns,
];

/** All columns that a chart reads. */
export const columnsOf = (chart: ChartColumnNames): readonly string[] => [
  ...new Set([chart.labelColumn, ...(chart.seriesColumn === null ? [] : [chart.seriesColumn]), ...dataColumnsOf(chart)]),
];

export type ChartColumnNames = Pick<ChartConfig, 'labelColumn' | 'dataColumn' | 'moreDataColumns' | 'seriesColumn'>;

export const chartConfigDefaults: Omit<ChartConfig, 'chartType' | 'labelColumn' | 'dataColumn'> = {
  moreDataColumns: [],
  seriesColumn: null,
  aggregate: 'sum',
  sortBy: 'none',
  timeUnit: 'auto',
  stacked: 'none',
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
  frameAncestors: '',
  patterns: false,
};
