import type { ChartRow } from '../../charts/built-chart.ts';
import { type ChartTool, chartTools, moreToolsPath } from '../../charts/chart-tools.ts';
import { notes } from '../../charts/notes.ts';
import { escapeHtml } from '../../charts/option/tooltip.ts';
import { zooms } from '../../core/chart-config.ts';
import type { ChartPicture, PictureSize, ViewedChart } from '../../pipeline/use-cases/embed-view.ts';
import { htmlPage, pageStyle } from './embed-style.ts';

export interface EmbedPageParts {
  readonly chart: Pick<ViewedChart, 'embed' | 'rows'>;
  readonly picture: ChartPicture;
  readonly size: PictureSize;
  readonly nonce: string;
  readonly script: string | null; // its URL; null: the picture only
}

/** A self-contained page: a picture for everyone, a table for screen readers, data for the script. */
export function embedPage({ chart: { embed, rows }, picture, size, nonce, script }: EmbedPageParts): string {
  const { chart } = embed;
  const title = chart.title.trim() === '' ? 'Chart' : chart.title;
  const more = rows.more ? [notes.onlyFirst(rows.rows.length)] : [];
  const said = [...picture.notes, ...more];
  const names = rows.columns.map(({ name }) => name);
  const data = { columns: rows.columns, rows: rows.rows.map((row) => names.map((name) => row[name])), config: chart, more };
  const body = `<main aria-label="${escapeHtml(title)}">
<h1 class="unseen" dir="auto">${escapeHtml(title)}</h1>
<figure id="chart">
${script === null || !chart.showToolbar ? '' : toolbar(zooms(chart))}
<div id="drawn" class="${size}">${picture.svg}</div>
<div id="live" tabindex="0"></div>
</figure>
<p id="notes" dir="auto">${escapeHtml(said.join(' '))}</p>
${dataTable(names, rows.rows, title)}
</main>
${script === null ? '' : `<script id="data" type="application/json" nonce="${nonce}">${inlineJson(data)}</script>\n<script nonce="${nonce}" src="${escapeHtml(script)}" defer></script>`}`;
  return htmlPage(chart.theme, escapeHtml(title), nonce, pageStyle(chart.chartHeight), body);
}

const MAX_TABLE_ROWS = 500;

function dataTable(names: readonly string[], rows: readonly ChartRow[], title: string): string {
  const shown = rows.slice(0, MAX_TABLE_ROWS);
  const part = shown.length < rows.length ? `, the first ${count(shown.length)} of ${count(rows.length)} rows` : '';
  const cells = (row: ChartRow): string => names.map((name) => `<td dir="auto">${escapeHtml(textOf(row[name]))}</td>`).join('');
  // a table ignores the height of its style
  return `<div class="unseen"><table>
<caption>${escapeHtml(title)}: data${part}</caption>
<thead><tr>${names.map((name) => `<th scope="col" dir="auto">${escapeHtml(name)}</th>`).join('')}</tr></thead>
<tbody>${shown.map((row) => `<tr>${cells(row)}</tr>`).join('')}</tbody>
</table></div>`;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
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
