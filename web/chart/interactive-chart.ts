import { buildChart } from '../../src/charts/build-chart.ts';
import type { BuiltChart, ChartColumn } from '../../src/charts/built-chart.ts';
import { init, rendererFor } from '../../src/charts/echarts.ts';
import type { ChartData } from '../../src/charts/summary/chart-data.ts';
import { chartSvg } from '../../src/charts/svg/chart-svg.ts';
import { svgWithNotes } from '../../src/charts/svg/draw-svg.ts';
import { type ChartConfig, withAxes } from '../../src/core/chart-config.ts';
import { axisView, type ChartView } from './axis-view.ts';
import { drawingView } from './drawing-view.ts';

export interface ChartContent {
  readonly columns: readonly ChartColumn[];
  readonly data: ChartData;
  readonly config: ChartConfig;
}

export interface InteractiveOptions {
  readonly theme: () => 'light' | 'dark';
  /** Whether to animate: the user may prefer reduced motion. */
  readonly animates: () => boolean;
  readonly onDrawn?: (built: BuiltChart) => void;
  /** The element that grows; the chart's own by default. */
  readonly frame?: HTMLElement;
  /** Further notes below the chart. */
  readonly more?: readonly string[];
  /** The mark of a label was clicked. */
  readonly onLabel?: (label: string) => void;
}

export interface InteractiveChart {
  /** Zooms in above 1, out below 1. */
  zoom(factor: number): void;
  /** Pans by a share of the visible range; positive values move right. */
  pan(share: number): void;
  reset(): void;
  /** After a change of size or theme; keeps the zoom. */
  redraw(): void;
  /** The chart as an SVG file with the current zoom and the notes, without the toolbar. */
  svg(): string;
  dispose(): void;
}

/** Draws a chart that resizes with its element, and makes the element taller if the labels need it. */
export function mountChart(element: HTMLElement, content: ChartContent, options: InteractiveOptions): InteractiveChart {
  const { columns, data, config } = content;
  const frame = options.frame ?? element;
  const listening = new AbortController();
  const isDrawing = !withAxes.has(config.chartType);
  const enlarged = drawingView(element, isDrawing && config.enableZoom, () => draw(build(), false, true), listening.signal);
  const surface = () => ({ width: element.clientWidth, theme: options.theme(), zoom: enlarged.zoomOf() });
  let height = 0; // before it grows
  const build = (): BuiltChart => {
    frame.style.minHeight = '';
    height = element.clientHeight;
    const built = buildChart(columns, data, { ...config, chartHeight: height }, surface());
    if (built.height > height) frame.style.minHeight = `${built.height}px`;
    return built;
  };

  const first = build();
  const chart = init(element, null, { renderer: rendererFor(first, config) });
  const view: ChartView = isDrawing ? enlarged : axisView(chart, () => markZoomed());
  const markZoomed = (): void => {
    element.toggleAttribute('data-zoomed', view.isZoomed());
    element.style.touchAction = isDrawing && view.isZoomed() ? 'none' : ''; // a finger moves the drawing instead of the page
  };
  const draw = (built: BuiltChart, enableAnimations: boolean, merges = false): void => {
    chart.resize();
    const option = { ...view.applyZoom(built.option), animation: enableAnimations && built.option.animation === true };
    if (config.chartType === 'treemap') chart.clear(); // leaves that were out of sight would stay hidden
    chart.setOption(option, { notMerge: !merges }); // merged, the legend keeps what was switched off
    chart.getZr().flush();
    markZoomed();
    element.toggleAttribute('data-empty', built.empty); // its tools would do nothing
    options.onDrawn?.(built);
  };
  draw(first, options.animates());
  chart.on('click', ({ name }) => options.onLabel?.(name));

  // ECharts captures every wheel event; without Ctrl the page must scroll
  const stopUnlessZooming = (event: WheelEvent): void => {
    if (!event.ctrlKey) event.stopPropagation();
  };
  element.addEventListener('wheel', stopUnlessZooming, { capture: true, signal: listening.signal });

  let frameRequest = 0;
  const resized = new ResizeObserver(() => {
    const { clientWidth, clientHeight } = element;
    if (clientWidth === chart.getWidth() && clientHeight === chart.getHeight()) return;
    cancelAnimationFrame(frameRequest);
    frameRequest = requestAnimationFrame(() => draw(build(), false));
  });
  resized.observe(element);

  return {
    zoom: view.zoom,
    pan: view.pan,
    reset: () => {
      view.reset();
      draw(build(), false);
    },
    redraw: () => draw(build(), false),
    svg: () => {
      const still = { ...surface(), still: true };
      const built = buildChart(columns, data, { ...config, chartHeight: height, showToolbar: false }, still);
      const svg = chartSvg({ ...built, option: view.applyZoom(built.option) }, still);
      return svgWithNotes(svg, [...built.notes, ...(options.more ?? [])], still);
    },
    dispose: () => {
      listening.abort();
      resized.disconnect();
      cancelAnimationFrame(frameRequest);
      chart.dispose();
    },
  };
}
