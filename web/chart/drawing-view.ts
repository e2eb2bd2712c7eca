import type { ChartView } from './chart-view.ts';

const MAX_SCALE = 8;
const DRAG_THRESHOLD_PX = 4; // below it, a click

/** Zooms and pans a chart without axes by transforming its element: by dragging, and by Ctrl and the wheel. */
export function drawingView(element: HTMLElement): ChartView {
  let [scale, x, y] = [1, 0, 0];
  let dragged: { readonly x: number; readonly y: number; moving: boolean } | null = null;
  const place = (): void => {
    const drawing = element.firstElementChild;
    if (!(drawing instanceof HTMLElement)) return;
    // keeps the edges of the drawing outside the element
    const [mostX, mostY] = [(element.clientWidth * (scale - 1)) / 2, (element.clientHeight * (scale - 1)) / 2];
    x = Math.min(mostX, Math.max(-mostX, x));
    y = Math.min(mostY, Math.max(-mostY, y));
    drawing.style.transform = scale === 1 ? '' : `translate(${x}px, ${y}px) scale(${scale})`;
  };
  const zoom = (factor: number): void => {
    const next = Math.min(MAX_SCALE, Math.max(1, scale * factor));
    [x, y] = [(x * next) / scale, (y * next) / scale];
    scale = next;
    place();
  };

  const listening = new AbortController();
  const { signal } = listening;
  element.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2);
    },
    { signal, passive: false },
  );
  element.addEventListener(
    'pointerdown',
    (event) => {
      if (scale > 1 && event.isPrimary) dragged = { x: event.clientX - x, y: event.clientY - y, moving: false };
    },
    { signal },
  );
  element.addEventListener(
    'pointermove',
    (event) => {
      if (dragged === null) return;
      const [toX, toY] = [event.clientX - dragged.x, event.clientY - dragged.y];
      if (!dragged.moving && Math.hypot(toX - x, toY - y) < DRAG_THRESHOLD_PX) return;
      if (!dragged.moving) element.setPointerCapture(event.pointerId);
      dragged.moving = true;
      [x, y] = [toX, toY];
      place();
    },
    { signal },
  );
  for (const end of ['pointerup', 'pointercancel'] as const) {
    element.addEventListener(end, () => (dragged = null), { signal });
  }

  return {
    zoom,
    pan: (share) => {
      x -= element.clientWidth * share;
      place();
    },
    reset: () => {
      [scale, x, y] = [1, 0, 0];
      place();
    },
    zoomed: (option) => option,
    dispose: () => listening.abort(),
  };
}
