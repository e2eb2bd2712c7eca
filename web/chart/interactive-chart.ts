import { buildChart } from '../../src/charts/build-chart.ts';
import type { BuiltChart, ChartColumn, ChartRow } from '../../src/charts/built-chart.ts';
import type { ChartConfig } from '../../src/charts/chart-config.ts';
import { type EChartsType, init, rendererFor } from '../../src/charts/echarts.ts';
import { chartSvg } from '../../src/charts/svg/chart-svg.ts';
import { svgWithNotes } from '../../src/charts/svg/svg-with-notes.ts';
import { axisView } from './axis-view.ts';
import type { ChartView } from './chart-view.ts';
import { drawingView } from './drawing-view.ts';

export interface ChartContent {
  readonly columns: readonly ChartColumn[];
  readonly rows: readonly ChartRow[];
  readonly config: ChartConfig;
}

export interface InteractiveOptions {
  readonly theme: () => 'light' | 'dark';
  /** Whether things may move at this moment: the reader may prefer that they do not. */
  readonly moves: () => boolean;
  readonly onDrawn?: (built: BuiltChart) => void;
  /** Said of the rows beside the chart's own notes. */
  readonly more?: readonly string[];
}

export interface InteractiveChart {
  /** Above 1 comes nearer, below 1 goes away. */
  zoom(factor: number): void;
  /** By a share of what is seen; to the right where it is positive. */
  pan(share: number): void;
  reset(): void;
  /** After a change of size or theme; what was zoomed stays so. */
  redraw(): void;
  /** The chart as it is seen now, as a file: without the room for tools, with what is said below it. */
  svg(): string;
  dispose(): void;
}

/** A chart that follows the size of its element. */
export function mountChart(element: HTMLElement, content: ChartContent, options: InteractiveOptions): InteractiveChart {
  const { columns, rows, config } = content;
  const surface = () => ({ width: element.clientWidth, theme: options.theme() });
  const build = (changes: Partial<ChartConfig>) =>
    buildChart(columns, rows, { ...config, chartHeight: element.clientHeight, ...changes }, surface());

  const first = build({});
  const chart = init(element, null, { renderer: rendererFor(first, config) });
  const view = viewOf(chart, element, first);
  const draw = (built: BuiltChart, enableAnimations: boolean): void => {
    const option = { ...view.seen(built.option), animation: enableAnimations && built.option.animation === true };
    chart.setOption(option, { notMerge: true });
    chart.getZr().flush();
    options.onDrawn?.(built);
  };
  draw(first, options.moves());

  // ECharts would take every turn of the wheel, also those that it makes nothing of: without Ctrl the page scrolls
  const listening = new AbortController();
  const leaveToPage = (event: WheelEvent): void => {
    if (!event.ctrlKey) event.stopPropagation();
  };
  element.addEventListener('wheel', leaveToPage, { capture: true, signal: listening.signal });

  let waiting = 0;
  const resized = new ResizeObserver(() => {
    const { clientWidth, clientHeight } = element;
    if (clientWidth === chart.getWidth() && clientHeight === chart.getHeight()) return;
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => {
      chart.resize();
      draw(build({}), false);
    });
  });
  resized.observe(element);

  return {
    zoom: view.zoom,
    pan: view.pan,
    reset: () => {
      view.reset();
      draw(build({}), false);
    },
    redraw: () => draw(build({}), false),
    svg: () => {
      const built = build({ showToolbar: false });
      const seen = { ...built, option: view.seen(built.option) };
      const svg = chartSvg(seen, { ...config, chartHeight: element.clientHeight }, surface());
      return svgWithNotes(svg, [...built.notes, ...(options.more ?? [])], surface());
    },
    dispose: () => {
      listening.abort();
      resized.disconnect();
      cancelAnimationFrame(waiting);
      view.dispose();
      chart.dispose();
    },
  };
}

function viewOf(chart: EChartsType, element: HTMLElement, { option, empty }: BuiltChart): ChartView {
  const hasAxes = Array.isArray(option.dataZoom) && option.dataZoom.length > 0;
  return hasAxes || empty ? axisView(chart) : drawingView(element);
}
