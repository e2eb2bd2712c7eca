import type { ChartColumn } from '../../src/charts/built-chart.ts';
import type { ChartConfig } from '../../src/charts/chart-config.ts';
import { connectTools } from '../chart/connect-tools.ts';
import { mountChart } from '../chart/interactive-chart.ts';

/** As embed-page.ts writes it: a row is a list in the order of the columns. */
interface PageData {
  readonly columns: readonly ChartColumn[];
  readonly rows: readonly (readonly unknown[])[];
  readonly config: ChartConfig;
  readonly more: readonly string[]; // what the page says beside the chart's own notes
}

/** Who has looked at the picture for longer than this need not see the chart grow again. */
const FRESH_MS = 800;

function start(): void {
  const [data, figure, live, notes] = ['data', 'chart', 'live', 'notes'].map((id) => document.getElementById(id));
  if (!data || !figure || !live || !notes) return;
  const { columns, rows, config, more }: PageData = JSON.parse(data.textContent);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  const theme = () => (config.theme === 'auto' ? (dark.matches ? 'dark' : 'light') : config.theme);
  const content = {
    columns,
    rows: rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]]))),
    config,
  };
  const chart = mountChart(live, content, {
    theme,
    more,
    moves: () => !calm.matches && performance.now() < FRESH_MS,
    onDrawn: (built) => {
      notes.textContent = [...built.notes, ...more].join(' ');
    },
  });
  figure.classList.add('live');
  dark.addEventListener('change', chart.redraw);
  connectTools(chart, live, document.getElementById('tools'), config.enableZoom, config.title);
}

start();
