import type { FastifyRequest } from 'fastify';
import { DEFAULT_EMBED_DAYS, MAX_EMBED_DAYS } from '../../access/embeds/embed-token.ts';
import type { SentParameter } from '../../catalog/parameter.ts';
import { type ChartConfig, type ChartType, chartConfigDefaults, chartTypes } from '../../charts/chart-config.ts';
import type { EmbedForm } from '../../delivery/use-cases/embed-issue.ts';
import { type FieldProblem, failed, fieldInvalid, type Result, succeeded } from '../../errors.ts';
import { parseJson } from '../http/json-body.ts';
import { parameterList } from '../http/sent-parameters.ts';

/** Reads the query string of GetEmbedUrl. Reports all invalid parameters at once and ignores unknown ones. */
export function readEmbedForm(request: FastifyRequest): Result<EmbedForm> {
  const queryString = queryStringOf(request);
  const missing = ['queryName', 'chartType', 'labelColumn', 'dataColumn'].find((field) => (queryString.get(field) ?? '') === '');
  if (missing !== undefined) return failed({ kind: 'FieldMissing', field: missing });
  const parameters = readParameters(queryString.get('parameters'));
  if (!parameters.ok) return parameters;

  const problems: FieldProblem[] = [];
  const chart = readChart(queryString, problems);
  const days = readDays(queryString, problems);
  const queryName = readText(queryString, 'queryName', 1000, problems);
  if (problems.length > 0) return failed({ kind: 'FieldInvalid', problems });
  return succeeded({ queryName, parameters: parameters.value, chart, days });
}

type QueryString = ReadonlyMap<string, unknown>; // text, or a list if a name is repeated

export function queryStringOf({ query }: FastifyRequest): QueryString {
  return new Map(typeof query === 'object' && query !== null ? Object.entries(query) : []);
}

function readChart(queryString: QueryString, problems: FieldProblem[]): ChartConfig {
  const fallback = chartConfigDefaults;
  const toggle = (field: Toggle): boolean => readToggle(queryString, field, fallback[field], problems);
  return {
    chartType: readChartType(queryString, problems),
    labelColumn: readText(queryString, 'labelColumn', 1000, problems),
    dataColumn: readText(queryString, 'dataColumn', 1000, problems),
    title: readText(queryString, 'title', 300, problems),
    chartHeight: readWhole(queryString, 'chartHeight', [100, 4000], fallback.chartHeight, problems),
    animationSpeed: readWhole(queryString, 'animationSpeed', [0, 10_000], fallback.animationSpeed, problems),
    showToolbar: toggle('showToolbar'),
    showDataLabels: toggle('showDataLabels'),
    showGrid: toggle('showGrid'),
    showLegend: toggle('showLegend'),
    enableZoom: toggle('enableZoom'),
    enableAnimations: toggle('enableAnimations'),
    barOrientation: readChoice(queryString, 'barOrientation', ['vertical', 'horizontal'], fallback.barOrientation, problems),
    barWidth: readWhole(queryString, 'barWidth', [1, 100], fallback.barWidth, problems),
    legendPosition: readChoice(
      queryString,
      'legendPosition',
      ['top', 'bottom', 'left', 'right'],
      fallback.legendPosition,
      problems,
    ),
    theme: readChoice(queryString, 'theme', ['auto', 'light', 'dark'], fallback.theme, problems),
    patterns: toggle('patterns'),
  };
}

type Toggle = {
  [K in keyof typeof chartConfigDefaults]: (typeof chartConfigDefaults)[K] extends boolean ? K : never;
}[keyof typeof chartConfigDefaults];

function readChartType(queryString: QueryString, problems: FieldProblem[]): ChartType {
  const types = chartTypes.map(({ type }) => type);
  const type = readChoice(queryString, 'chartType', [...types, 'doughnut'], 'bar', problems);
  return type === 'doughnut' ? 'donut' : type;
}

/** Ignores case: the wizard sends Vertical, programs send vertical. */
function readChoice<T extends string>(
  queryString: QueryString,
  field: string,
  choices: readonly T[],
  fallback: T,
  problems: FieldProblem[],
): T {
  const sent = queryString.get(field) ?? '';
  if (sent === '') return fallback;
  const found = choices.find((choice) => typeof sent === 'string' && choice.toLowerCase() === sent.trim().toLowerCase());
  if (found === undefined) problems.push({ field, message: `Expected one of ${choices.join(', ')}.` });
  return found ?? fallback;
}

const readToggle = (queryString: QueryString, field: string, fallback: boolean, problems: FieldProblem[]): boolean =>
  readChoice(queryString, field, ['true', 'false'], fallback ? 'true' : 'false', problems) === 'true';

function readWhole(
  queryString: QueryString,
  field: string,
  [min, max]: readonly [number, number],
  fallback: number,
  problems: FieldProblem[],
): number {
  const sent = queryString.get(field) ?? '';
  if (sent === '') return fallback;
  const number = typeof sent === 'string' && /^\d{1,9}$/.test(sent.trim()) ? Number(sent) : Number.NaN;
  if (number >= min && number <= max) return number;
  problems.push({ field, message: `Expected a whole number from ${min} to ${max}.` });
  return fallback;
}

function readDays(queryString: QueryString, problems: FieldProblem[]): number | null {
  const sent = queryString.get('expirationDays');
  if (typeof sent === 'string' && sent.trim().toLowerCase() === 'never') return null;
  const dayProblems: FieldProblem[] = [];
  const days = readWhole(queryString, 'expirationDays', [1, MAX_EMBED_DAYS], DEFAULT_EMBED_DAYS, dayProblems);
  problems.push(...dayProblems.map(({ field, message }) => ({ field, message: message.replace(/\.$/, ', or never.') })));
  return days;
}

function readText(queryString: QueryString, field: string, max: number, problems: FieldProblem[]): string {
  const sent = queryString.get(field) ?? '';
  if (typeof sent !== 'string') problems.push({ field, message: 'Expected a single text.' });
  else if ([...sent].length > max) problems.push({ field, message: `Expected at most ${max} characters.` });
  else if (/\p{Cc}/u.test(sent) || !sent.isWellFormed())
    problems.push({ field, message: 'It must not contain control characters.' });
  return String(sent);
}

function readParameters(sent: unknown): Result<readonly SentParameter[]> {
  if (sent === undefined || sent === '') return succeeded([]);
  const json = typeof sent === 'string' ? parseJson(sent) : null;
  if (json === null || !json.ok || !Array.isArray(json.value))
    return failed(fieldInvalid('parameters', 'Expected a JSON array such as [{"ParameterName":"@Region","Value":"North"}].'));
  return parameterList(json.value, 'parameters', { name: 'ParameterName', value: 'Value', type: 'DataType' });
}
