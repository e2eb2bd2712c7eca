import type { ChartColumn } from '../../src/charts/built-chart.ts';
import type { ChartData } from '../../src/charts/summary/chart-data.ts';
import type { ChartConfig } from '../../src/core/chart-config.ts';
import { connectTools } from '../chart/connect-tools.ts';
import { mountChart } from '../chart/interactive-chart.ts';
import { connectViewForm } from './view-form.ts';

/** The data that embed-page.ts writes into the page: each row is an array in column order. */
interface PageData {
  readonly columns: readonly ChartColumn[];
  readonly names: readonly string[];
  readonly rows: readonly (readonly unknown[])[]; // in the order of the names
  readonly collected: Omit<ChartData, 'rows'>;
  readonly config: ChartConfig;
}

/** After this time, the user has seen the static picture, and the chart is drawn without animation. */
const ANIMATE_WITHIN_MS = 800;

function start(): void {
  const [data, figure, live, notes] = ['data', 'chart', 'live', 'notes'].map((id) => document.getElementById(id));
  if (!data || !figure || !live || !notes) return;
  const { columns, names, rows, collected, config }: PageData = JSON.parse(data.textContent);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  const theme = () => (config.theme === 'auto' ? (dark.matches ? 'dark' : 'light') : config.theme);
  const content = {
    columns,
    data: {
      ...collected,
      rows: rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]]))),
    },
    config,
  };
  figure.classList.add('live'); // before the chart is measured
  const chart = mountChart(live, content, {
    theme,
    frame: figure,
    animates: () => !calm.matches && performance.now() < ANIMATE_WITHIN_MS,
    onDrawn: (built) => {
      notes.textContent = built.notes.join(' ');
    },
  });
  dark.addEventListener('change', chart.redraw);
  connectTools(chart, live, document.getElementById('tools'), config.enableZoom, config.title);
}

connectViewForm();
start();
