import type { ChartColumn, ChartRow } from '../../charts/built-chart.ts';
import { type ChartTool, chartTools, moreToolsPath } from '../../charts/chart-tools.ts';
import { themeOf } from '../../charts/option/theme.ts';
import { escapeHtml, tooltipCss } from '../../charts/option/tooltip.ts';
import { keysOf } from '../../charts/summary/chart-data.ts';
import { tableText } from '../../charts/table-text.ts';
import type { ChartConfig } from '../../core/chart-config.ts';
import type { ChartPicture, PictureSize, ViewedChart } from '../../pipeline/use-cases/embed-view.ts';
import { viewFormStyle } from './view-form.ts';

export interface EmbedPageParts {
  readonly chart: Pick<ViewedChart, 'embed' | 'collected'>;
  readonly picture: ChartPicture | null; // null: it is not ready, and the script draws the chart
  readonly size: PictureSize;
  readonly nonce: string;
  readonly script: string | null; // its URL; null: the picture only
  readonly form: string; // as HTML
}

/** A self-contained page: a picture for everyone, a table for screen readers, data for the script. */
export function embedPage({ chart: { embed, collected }, picture, size, nonce, script, form }: EmbedPageParts): string {
  const { chart } = embed;
  const title = chart.title.trim() === '' ? 'Chart' : chart.title;
  const { columns, data } = collected;
  const names = keysOf(chart);
  const { rows, ...others } = data;
  const sent = { columns, names, rows: rows.map((row) => names.map((name) => row[name])), collected: others, config: chart };
  const body = `<main aria-label="${escapeHtml(title)}">
<h1 class="unseen" dir="auto">${escapeHtml(title)}</h1>
${form}
<figure id="chart">
${script === null || !chart.showToolbar ? '' : toolbar(chart.enableZoom)}
<div id="drawn" class="${size}">${picture?.svg ?? waitingText}</div>
<div id="live" tabindex="0"></div>
</figure>
<p id="notes" dir="auto">${escapeHtml(picture?.notes.join(' ') ?? '')}</p>
${dataTable(columns, rows, chart, title)}
</main>
${script === null ? '' : `<script id="data" type="application/json" nonce="${nonce}">${inlineJson(sent)}</script>\n${scriptTag(script, nonce)}`}`;
  return htmlPage(
    chart.theme,
    escapeHtml(title),
    nonce,
    pageStyle(chart.chartHeight) + (form === '' ? '' : viewFormStyle),
    body,
    picture === null ? reloadWithoutScript : '',
  );
}

export const scriptTag = (script: string, nonce: string): string =>
  `<script nonce="${nonce}" src="${escapeHtml(script)}" defer></script>`;

export const waitingText = '<p class="waiting">The chart is being drawn…</p>';
const reloadWithoutScript = '<noscript><meta http-equiv="refresh" content="2"></noscript>';

const MAX_TABLE_ROWS = 500;

function dataTable(columns: readonly ChartColumn[], rows: readonly ChartRow[], config: ChartConfig, title: string): string {
  const shown = rows.slice(0, MAX_TABLE_ROWS);
  const part = shown.length < rows.length ? `, the first ${count(shown.length)} of ${count(rows.length)} rows` : '';
  const keys = keysOf(config).map((name) => ({ name, column: columns.find((column) => column.name === name) }));
  const cells = (row: ChartRow): string =>
    keys.map(({ name, column }) => `<td dir="auto">${escapeHtml(tableText(row[name], column, config))}</td>`).join('');
  // a table ignores the height of its style
  return `<div class="unseen"><table>
<caption>${escapeHtml(title)}: data${part}</caption>
<thead><tr>${keys.map(({ name }) => `<th scope="col" dir="auto">${escapeHtml(name)}</th>`).join('')}</tr></thead>
<tbody>${shown.map((row) => `<tr>${cells(row)}</tr>`).join('')}</tbody>
</table></div>`;
}

const count = (number: number): string => number.toLocaleString('en-US');

/** JSON that is safe within a script element: it cannot close the element or open a comment. */
const inlineJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** The toolbar of a chart, hidden until the script runs. */
function toolbar(withZoom: boolean): string {
  const buttons = chartTools(withZoom).map(({ act, name, key, face }) => {
    const hint = key === null ? name : `${name} (${key})`;
    return `<button type="button" class="tool" data-act="${act}" aria-label="${name}" title="${hint}">${faceOf(face)}</button>`;
  });
  return `<div id="tools" role="toolbar" aria-label="Chart tools" aria-controls="live" hidden>
<button type="button" id="more-tools" aria-label="Chart tools" aria-expanded="false" title="Chart tools">${icon(moreToolsPath)}</button>
${buttons.join('\n')}
</div>`;
}

const faceOf = (face: ChartTool['face']): string => ('word' in face ? face.word : icon(face.path));

const icon = (path: string): string =>
  `<svg width="16" height="16" viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${path}"/></svg>`;

/** A page around `body`, which is HTML like the title and `head`. */
export const htmlPage = (
  theme: string,
  title: string,
  nonce: string,
  style: string,
  body: string,
  head = '',
): string => `<!doctype html>
<html lang="en" data-theme="${theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style nonce="${nonce}">${style}</style>${head}
</head>
<body>
${body}
</body>
</html>
`;

/** The colors before any script runs, from the chart's theme or the reader's system. */
const colors = (theme: 'light' | 'dark'): string => {
  const { background, text, muted, grid, axis } = themeOf({ width: 0, theme });
  return `color-scheme:${theme};--back:${background};--text:${text};--muted:${muted};--hover:${grid};--line:${axis}`;
};

const plain = `*{box-sizing:border-box}
:root{${colors('light')}}
[data-theme=dark]{${colors('dark')}}
@media (prefers-color-scheme:dark){[data-theme=auto]{${colors('dark')}}}
html,body{height:100%;margin:0}
.waiting{margin:0;padding:24px;color:var(--muted);font-size:12px;text-align:center}
body{background:var(--back);color:var(--text);font:13px/1.45 Inter,Noto Sans,system-ui,sans-serif}
.unseen{position:absolute;width:1px;height:1px;margin:-1px;padding:0;overflow:hidden;clip-path:inset(50%);white-space:nowrap;border:0}`;

/**
 * The interactive chart shrinks to a low frame. A picture does not: scaled down, its text could not be read, so the page scrolls, as it
 * does where a chart has grown. One picture serves both color schemes: inverted with its hues kept, the light one is dark until the script
 * draws the chart in the colors of the dark theme.
 */
const pageStyle = (height: number): string => `${plain}
@media (prefers-color-scheme:dark){[data-theme=auto] #drawn{filter:invert(.91) hue-rotate(180deg)}}
main{position:relative;display:flex;flex-direction:column;height:100%}
figure{position:relative;flex:0 1 ${height}px;margin:0}
figure.live{min-height:100px;overflow:hidden}
@media (scripting:none){figure{flex:none}}
#drawn svg{display:block;max-width:100%;height:auto;margin:0 auto}
#live{position:absolute;inset:0;overflow:hidden;visibility:hidden}
.live #live{visibility:visible}
.live #drawn{display:none}
#live:focus-visible{outline:2px solid #2f6fde;outline-offset:-2px}
#notes{flex:none;margin:0;padding:0 16px 8px;color:var(--muted);font-size:12px}
#notes:empty{display:none}
#tools{position:absolute;top:8px;right:12px;z-index:5;display:flex;gap:2px;border-radius:8px;background:var(--back)}
#tools[hidden],figure:has([data-empty]) #tools{display:none}
#tools button{display:grid;place-items:center;height:28px;min-width:28px;padding:0 6px;border:0;border-radius:6px;background:none;color:var(--muted);font:600 11px Inter,system-ui,sans-serif;cursor:pointer}
#tools button:hover{background:var(--hover);color:var(--text)}
#tools button:focus-visible{outline:2px solid #2f6fde;outline-offset:1px}
#more-tools{display:none!important}
@media (max-width:519px){#more-tools{display:grid!important}#tools:not(.open) .tool{display:none}figure:has([data-zoomed]) #tools [data-act=reset]{display:grid}#tools.open{flex-wrap:wrap;justify-content:flex-end;max-width:calc(100% - 24px);box-shadow:0 0 0 1px var(--line)}}
@media print{#tools{display:none}}
${tooltipCss}`;

export const messageStyle = `${plain}
body{display:grid;grid-template-columns:minmax(0,1fr);place-items:center}
body:has(form){grid-template-rows:auto 1fr}
body>.fields{justify-self:stretch}
main{max-width:min(34rem,100%);padding:24px;text-align:center;overflow-wrap:anywhere}
h1{margin:0 0 8px;font-size:16px}
p{margin:0 0 8px;color:var(--muted)}
small{color:var(--muted)}`;
