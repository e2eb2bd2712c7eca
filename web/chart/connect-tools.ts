import type { ChartAct } from '../../src/charts/chart-tools.ts';
import type { InteractiveChart } from './interactive-chart.ts';
import { savePng, saveSvg } from './save-picture.ts';

const ZOOM_FACTOR = 1.6;
const PAN_STEP = 0.3;

const keys: Readonly<Record<string, ChartAct>> = {
  '+': 'zoom-in',
  '=': 'zoom-in',
  '-': 'zoom-out',
  ArrowLeft: 'pan-left',
  ArrowRight: 'pan-right',
  '0': 'reset',
};

/** Connects the toolbar buttons and the keyboard shortcuts of a chart until `signal` aborts. */
export function connectTools(
  chart: InteractiveChart,
  live: HTMLElement,
  bar: HTMLElement | null,
  zooms: boolean,
  title: string,
  signal = new AbortController().signal,
): void {
  const acts: Readonly<Record<ChartAct, () => void>> = {
    'zoom-in': () => chart.zoom(ZOOM_FACTOR),
    'zoom-out': () => chart.zoom(1 / ZOOM_FACTOR),
    'pan-left': () => chart.pan(-PAN_STEP),
    'pan-right': () => chart.pan(PAN_STEP),
    reset: chart.reset,
    png: () => void savePng(chart, title).catch(console.error),
    svg: () => saveSvg(chart, title),
  };
  const onPress = (event: KeyboardEvent): void => {
    const act = keys[event.key];
    if (act === undefined || !zooms || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    acts[act]();
  };
  live.addEventListener('keydown', onPress, { signal });
  if (bar === null) return;
  const isAct = (name: string | undefined): name is ChartAct => name !== undefined && Object.hasOwn(acts, name);
  for (const button of bar.querySelectorAll<HTMLButtonElement>('[data-act]')) {
    const { act } = button.dataset;
    if (isAct(act)) button.addEventListener('click', acts[act], { signal });
  }
  const more = bar.querySelector<HTMLButtonElement>('#more-tools');
  const toggle = (): void => more?.setAttribute('aria-expanded', String(bar.classList.toggle('open')));
  more?.addEventListener('click', toggle, { signal });
  bar.hidden = false;
  keepOneTabStop(bar, signal);
}

/** The toolbar pattern: one tab stop, and arrow keys between the buttons. */
function keepOneTabStop(bar: HTMLElement, signal: AbortSignal): void {
  const buttons = () => [...bar.querySelectorAll('button')].filter((button) => button.offsetParent !== null);
  const setTabStop = (chosen: HTMLButtonElement | undefined): void => {
    for (const button of bar.querySelectorAll('button')) button.tabIndex = button === chosen ? 0 : -1;
  };
  setTabStop(buttons()[0]);
  const onEnter = ({ target }: FocusEvent): void => {
    if (target instanceof HTMLButtonElement) setTabStop(target);
  };
  const onPress = (event: KeyboardEvent): void => {
    const all = buttons();
    const at = all.findIndex((button) => button.matches(':focus'));
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    all[(to + all.length) % all.length]?.focus();
  };
  bar.addEventListener('focusin', onEnter, { signal });
  bar.addEventListener('keydown', onPress, { signal });
  const resized = new ResizeObserver(() => {
    const all = buttons();
    if (!all.some((button) => button.tabIndex === 0)) setTabStop(all[0]);
  });
  resized.observe(document.documentElement);
  signal.addEventListener('abort', () => resized.disconnect());
}
