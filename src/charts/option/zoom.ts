import type { Option, Scene } from '../scene.ts';
import type { Frame } from './frame.ts';
import { withAlpha } from './theme.ts';

export const sliderRoom = 26;

/** Drag to pan, Ctrl and wheel to zoom, so that the page still scrolls. */
export const zoomInside = ({ config }: Scene, axis: 'x' | 'y', end = 100): readonly Option[] =>
  config.enableZoom
    ? [
        {
          type: 'inside',
          ...axisIndex(axis),
          filterMode: 'none',
          start: 0,
          end,
          zoomOnMouseWheel: 'ctrl',
          moveOnMouseMove: true,
          moveOnMouseWheel: false,
        },
      ]
    : [];

/** Zoom with a slider, for what does not fit. */
export function zoomWithSlider(scene: Scene, frame: Frame, axis: 'x' | 'y', end = 100): readonly Option[] {
  return [...zoomInside(scene, axis, end), buildSlider(scene, frame, axis, end)];
}

const axisIndex = (axis: 'x' | 'y'): Option => (axis === 'x' ? { xAxisIndex: 0 } : { yAxisIndex: 0 });

const buildSlider = ({ theme }: Scene, frame: Frame, axis: 'x' | 'y', end: number): Option => ({
  type: 'slider',
  ...axisIndex(axis),
  filterMode: 'none',
  start: 0,
  end,
  brushSelect: false,
  showDetail: false,
  borderColor: 'transparent',
  backgroundColor: theme.grid,
  fillerColor: withAlpha(theme.colors[0] ?? theme.text, 0.22),
  handleStyle: { color: theme.tip, borderColor: theme.axis },
  moveHandleSize: 0,
  dataBackground: hidden,
  selectedDataBackground: hidden,
  ...(axis === 'x'
    ? { height: 14, bottom: frame.bottom - 2, left: frame.left + 40, right: frame.right + 4 }
    : { width: 14, right: frame.right - 12, top: frame.top + 18, bottom: frame.bottom + 8 }),
});

const hidden: Option = { lineStyle: { opacity: 0 }, areaStyle: { opacity: 0 } };
