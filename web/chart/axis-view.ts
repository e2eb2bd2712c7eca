import type { BuiltChart } from '../../src/charts/built-chart.ts';
import type { EChartsType } from '../../src/charts/echarts.ts';

/** Zooming and panning. */
export interface ChartView {
  zoom(factor: number): void;
  pan(share: number): void;
  /** The chart is to be drawn again. */
  reset(): void;
  isZoomed(): boolean;
  /** The chart option with the current zoom of its axes. */
  applyZoom(option: BuiltChart['option']): BuiltChart['option'];
}

interface Range {
  readonly index: number;
  readonly start: number; // percent of the axis
  readonly end: number;
  readonly vertical: boolean;
}

const NARROWEST = 0.5;

/** Zooms and pans a chart with axes by changing the visible range of each axis. */
export function axisView(chart: EChartsType, onZoom: () => void): ChartView {
  let own: readonly Range[] | null = null; // null: the initial range
  const show = (ranges: readonly Range[]): void => {
    for (const { index, start, end } of ranges) chart.dispatchAction({ type: 'dataZoom', dataZoomIndex: index, start, end });
  };
  // by a button, the wheel or the slider
  chart.on('datazoom', () => {
    own = rangesOf(chart.getOption());
    onZoom();
  });
  return {
    zoom: (factor) => show(rangesOf(chart.getOption()).map((range) => zoomRange(range, factor))),
    pan: (share) => {
      const ranges = rangesOf(chart.getOption());
      const sideways = ranges.filter(({ vertical }) => !vertical);
      show((sideways.length > 0 ? sideways : ranges).map((range) => panRange(range, share)));
    },
    reset: () => {
      own = null;
    },
    isZoomed: () => own !== null,
    applyZoom: (option) => {
      if (own === null || !Array.isArray(option.dataZoom)) return option;
      const ranges = own;
      const dataZoom = option.dataZoom.map((zoom: object, index) => {
        const range = ranges.find((each) => each.index === index);
        return range === undefined ? zoom : { ...zoom, start: range.start, end: range.end };
      });
      return { ...option, dataZoom };
    },
  };
}

function zoomRange(range: Range, factor: number): Range {
  const middle = (range.start + range.end) / 2;
  const half = Math.min(50, Math.max(NARROWEST, (range.end - range.start) / factor) / 2);
  return clampRange({ ...range, start: middle - half, end: middle + half });
}

const panRange = (range: Range, share: number): Range => {
  const by = (range.end - range.start) * share;
  return clampRange({ ...range, start: range.start + by, end: range.end + by });
};

/** Moves the range between 0 and 100 without changing its width. */
function clampRange(range: Range): Range {
  const width = range.end - range.start;
  const start = Math.min(100 - width, Math.max(0, range.start));
  return { ...range, start, end: start + width };
}

function rangesOf(option: unknown): readonly Range[] {
  const zooms: unknown = typeof option === 'object' && option !== null && 'dataZoom' in option ? option.dataZoom : [];
  if (!Array.isArray(zooms)) return [];
  return zooms.map((zoom: Readonly<Record<string, unknown>>, index) => ({
    index,
    start: Number(zoom.start ?? 0),
    end: Number(zoom.end ?? 100),
    vertical: zoom.orient === 'vertical',
  }));
}
