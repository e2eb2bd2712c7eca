import { type ChartData, collectChart, emptyData } from '../../src/charts/summary/chart-data.ts';
import { type ChartConfig, chartTypes } from '../../src/core/chart-config.ts';
import { connectTools } from '../chart/connect-tools.ts';
import { type InteractiveChart, mountChart } from '../chart/interactive-chart.ts';
import { connectHost, isRecord } from './host.ts';
import { readResult, type Result } from './result.ts';

// The MCP App ui://sluice/chart: draws the rows of execute_chart_query inside a conversation.

const element = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T; // all are in page.html
const [title, choices, live, noteElement] = ['title', 'choices', 'live', 'notes'].map((id) => element(id)) as [
  HTMLElement,
  HTMLElement,
  HTMLElement,
  HTMLElement,
];
const [typeSelect, labelSelect, dataSelect] = ['type', 'label', 'data'].map((id) => element<HTMLSelectElement>(id)) as [
  HTMLSelectElement,
  HTMLSelectElement,
  HTMLSelectElement,
];

let theme: 'light' | 'dark' = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
let input: Readonly<Record<string, unknown>> = {}; // the arguments of the tool
let result: (Result & { readonly config: ChartConfig }) | null = null;
let chart: InteractiveChart | null = null;
let connected = new AbortController(); // of the keys of the chart
let canCall = false; // the host passes tool calls on

const host = connectHost((method, params) => {
  if (method === 'ui/notifications/host-context-changed') applyContext(params);
  if (method === 'ui/notifications/tool-input' && isRecord(params.arguments)) input = params.arguments;
  if (method === 'ui/notifications/tool-cancelled') noteElement.textContent = 'The call was cancelled.';
  if (method === 'ui/notifications/tool-result') show(params);
});

async function start(): Promise<void> {
  const app = { appInfo: { name: 'sluice-chart', version: '1.0.0' }, appCapabilities: {}, protocolVersion: '2026-01-26' };
  const response = await host.request('ui/initialize', app);
  if (isRecord(response)) {
    canCall = isRecord(response.hostCapabilities) && isRecord(response.hostCapabilities.serverTools);
    if (isRecord(response.hostContext)) applyContext(response.hostContext);
  }
  host.notify('ui/notifications/initialized', {});
  new ResizeObserver(sendSize).observe(document.body);
}

function sendSize(): void {
  const { width, height } = document.documentElement.getBoundingClientRect();
  host.notify('ui/notifications/size-changed', { width: Math.ceil(width), height: Math.ceil(height) });
}

/** Takes over the theme and the style variables of the host. */
function applyContext(context: Readonly<Record<string, unknown>>): void {
  const root = document.documentElement;
  if (context.theme === 'light' || context.theme === 'dark') theme = context.theme;
  root.dataset.theme = theme;
  const variables = isRecord(context.styles) && isRecord(context.styles.variables) ? context.styles.variables : {};
  for (const [name, value] of Object.entries(variables))
    if (name.startsWith('--') && typeof value === 'string') root.style.setProperty(name, value);
  draw();
}

function show(params: Readonly<Record<string, unknown>>): void {
  const read = readResult(params);
  if (read === null || read.config === null) {
    noteElement.textContent =
      params.isError === true
        ? 'The query failed. The assistant has the details.'
        : 'There is nothing to draw: no column can be measured.';
    return;
  }
  const { config } = read;
  result = { ...read, config };
  const names = read.columns.map(({ name }) => name);
  const titled = config.title === '' ? input.title : config.title;
  title.textContent = typeof titled === 'string' ? titled : '';
  fill(
    typeSelect,
    chartTypes.map(({ type, name }) => [type, name]),
    config.chartType,
  );
  fill(
    labelSelect,
    names.map((name) => [name, name]),
    config.labelColumn,
  );
  fill(
    dataSelect,
    names.map((name) => [name, name]),
    config.dataColumn,
  );
  choices.hidden = false;
  draw();
}

function fill(select: HTMLSelectElement, options: readonly (readonly [string, string])[], chosen: string): void {
  select.replaceChildren(...options.map(([value, text]) => new Option(text, value, false, value === chosen)));
}

function draw(): void {
  if (result === null) return;
  const { columns, code } = result;
  const isSame = labelSelect.value === result.config.labelColumn && dataSelect.value === result.config.dataColumn;
  const config = {
    ...result.config,
    chartType: chartTypes.find(({ type }) => type === typeSelect.value)?.type ?? result.config.chartType,
    labelColumn: labelSelect.value,
    dataColumn: dataSelect.value,
    ...(isSame ? {} : { seriesColumn: null, moreDataColumns: [] }), // the columns belong together
    title: '', // above the chart
    showToolbar: false,
  };
  const isDrawn = isSame && config.chartType === result.config.chartType && result.data !== null;
  if (!isDrawn && code !== null && canCall) return void askServer(config);
  const collected = isDrawn ? result.data : code === null ? collectChart(columns, result.rows, config) : partOnly;
  chart?.dispose();
  connected.abort();
  connected = new AbortController();
  chart = mountChart(
    live,
    { columns, data: collected ?? emptyData, config },
    {
      theme: () => theme,
      animates: () => false,
      onDrawn: (built) => {
        noteElement.textContent = built.notes.join(' ');
        live.setAttribute('aria-label', built.description);
      },
    },
  );
  connectTools(chart, live, null, true, title.textContent ?? '', connected.signal);
}

/** The rows at hand are a part of the result, and a chart of them would show wrong numbers. */
const partOnly: ChartData = {
  ...emptyData,
  refusal: { head: 'Ask the assistant for this chart', advice: 'The conversation has only a part of the rows.' },
};

/** Another chart of all rows; the key, if the tool was called with one, is sent again. */
async function askServer({ chartType, labelColumn, dataColumn }: ChartConfig): Promise<void> {
  noteElement.textContent = 'Drawing…';
  const call = {
    name: 'execute_chart_query',
    arguments: { ...input, rowSize: 1, shape: 'table', chartType, labelColumn, dataColumn },
  };
  try {
    const response = await host.request('tools/call', call);
    if (!isRecord(response) || readResult(response) === null)
      throw new Error('The chart could not be drawn. Ask the assistant for it.');
    show(response);
  } catch (error) {
    noteElement.textContent = error instanceof Error ? error.message : String(error);
  }
}

for (const select of [typeSelect, labelSelect, dataSelect]) select.addEventListener('change', draw);
void start();
