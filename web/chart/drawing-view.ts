import type { DrawingZoom } from '../../src/charts/built-chart.ts';
import type { ChartView } from './axis-view.ts';

const LARGEST = 8;
const WHEEL_STEP = 1.2;
const whole: DrawingZoom = { factor: 1, x: 0, y: 0 };

export interface DrawingView extends ChartView {
  zoomOf(): DrawingZoom;
}

/** Zooms and pans a chart without axes by the size and the position of its drawing; with a pointer as well if `enabled`. */
export function drawingView(element: HTMLElement, enabled: boolean, onZoom: () => void, signal: AbortSignal): DrawingView {
  let now = whole;
  const show = (next: DrawingZoom): void => {
    now = clampZoom(next, element);
    onZoom();
  };
  /** Keeps the point at this distance from the center in its place. */
  const zoomAt = (by: number, x: number, y: number): void => {
    const factor = Math.min(LARGEST, Math.max(1, now.factor * by));
    const growth = factor / now.factor;
    show({ factor, x: x - (x - now.x) * growth, y: y - (y - now.y) * growth });
  };
  const onWheel = (event: WheelEvent): void => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const { left, top, width, height } = element.getBoundingClientRect();
    const by = event.deltaY < 0 ? WHEEL_STEP : 1 / WHEEL_STEP;
    zoomAt(by, event.clientX - left - width / 2, event.clientY - top - height / 2);
  };
  const onMove = (event: PointerEvent): void => {
    if ((event.buttons & 1) === 0 || now.factor === 1) return;
    show({ ...now, x: now.x + event.movementX, y: now.y + event.movementY });
  };
  if (enabled) {
    element.addEventListener('wheel', onWheel, { signal, passive: false });
    element.addEventListener('pointermove', onMove, { signal });
  }
  return {
    zoomOf: () => clampZoom(now, element), // it may have become smaller
    isZoomed: () => now.factor > 1,
    zoom: (factor) => zoomAt(factor, 0, 0),
    pan: (share) => show({ ...now, x: now.x - share * element.clientWidth }),
    reset: () => {
      now = whole;
    },
    applyZoom: (option) => option,
  };
}

/** The drawing stays in sight. */
function clampZoom({ factor, x, y }: DrawingZoom, { clientWidth, clientHeight }: HTMLElement): DrawingZoom {
  const clamp = (shift: number, size: number): number => {
    const most = ((factor - 1) * size) / 2;
    return Math.min(most, Math.max(-most, shift));
  };
  return { factor, x: clamp(x, clientWidth), y: clamp(y, clientHeight) };
}
