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
  const words = queryStringOf(request);
  const missing = ['queryName', 'chartType', 'labelColumn', 'dataColumn'].find((field) => (words.get(field) ?? '') === '');
  if (missing !== undefined) return failed({ kind: 'FieldMissing', field: missing });
  const parameters = readParameters(words.get('parameters'));
  if (!parameters.ok) return parameters;

  const problems: FieldProblem[] = [];
  const chart = readChart(words, problems);
  const days = readDays(words, problems);
  const queryName = readText(words, 'queryName', 1000, problems);
  if (problems.length > 0) return failed({ kind: 'FieldInvalid', problems });
  return succeeded({ queryName, parameters: parameters.value, chart, days });
}

type QueryString = ReadonlyMap<string, unknown>; // text, or a list if a name is repeated

export function queryStringOf({ query }: FastifyRequest): QueryString {
  return new Map(typeof query === 'object' && query !== null ? Object.entries(query) : []);
}

function readChart(words: QueryString, problems: FieldProblem[]): ChartConfig {
  const usual = chartConfigDefaults;
  const toggle = (field: Toggle): boolean => readToggle(words, field, usual[field], problems);
  return {
    chartType: readChartType(words, problems),
    labelColumn: readText(words, 'labelColumn', 1000, problems),
    dataColumn: readText(words, 'dataColumn', 1000, problems),
    title: readText(words, 'title', 300, problems),
    chartHeight: readWhole(words, 'chartHeight', [100, 4000], usual.chartHeight, problems),
    animationSpeed: readWhole(words, 'animationSpeed', [0, 10_000], usual.animationSpeed, problems),
    showToolbar: toggle('showToolbar'),
    showDataLabels: toggle('showDataLabels'),
    showGrid: toggle('showGrid'),
    showLegend: toggle('showLegend'),
    enableZoom: toggle('enableZoom'),
    enableAnimations: toggle('enableAnimations'),
    barOrientation: readChoice(words, 'barOrientation', ['vertical', 'horizontal'], usual.barOrientation, problems),
    barWidth: readWhole(words, 'barWidth', [1, 100], usual.barWidth, problems),
    legendPosition: readChoice(words, 'legendPosition', ['top', 'bottom', 'left', 'right'], usual.legendPosition, problems),
    theme: readChoice(words, 'theme', ['auto', 'light', 'dark'], usual.theme, problems),
    patterns: toggle('patterns'),
  };
}

type Toggle = {
  [K in keyof typeof chartConfigDefaults]: (typeof chartConfigDefaults)[K] extends boolean ? K : never;
}[keyof typeof chartConfigDefaults];

function readChartType(words: QueryString, problems: FieldProblem[]): ChartType {
  const types = chartTypes.map(({ type }) => type);
  const type = readChoice(words, 'chartType', [...types, 'doughnut'], 'bar', problems);
  return type === 'doughnut' ? 'donut' : type;
}

/** Ignores case: the wizard sends Vertical, programs send vertical. */
function readChoice<T extends string>(
  words: QueryString,
  field: string,
  choices: readonly T[],
  usual: T,
  problems: FieldProblem[],
): T {
  const sent = words.get(field) ?? '';
  if (sent === '') return usual;
  const found = choices.find((choice) => typeof sent === 'string' && choice.toLowerCase() === sent.trim().toLowerCase());
  if (found === undefined) problems.push({ field, message: `Expected one of ${choices.join(', ')}.` });
  return found ?? usual;
}

const readToggle = (words: QueryString, field: string, usual: boolean, problems: FieldProblem[]): boolean =>
  readChoice(words, field, ['true', 'false'], usual ? 'true' : 'false', problems) === 'true';

function readWhole(
  words: QueryString,
  field: string,
  [least, most]: readonly [number, number],
  usual: number,
  problems: FieldProblem[],
): number {
  const sent = words.get(field) ?? '';
  if (sent === '') return usual;
  const number = typeof sent === 'string' && /^\d{1,9}$/.test(sent.trim()) ? Number(sent) : Number.NaN;
  if (number >= least && number <= most) return number;
  problems.push({ field, message: `Expected a whole number from ${least} to ${most}.` });
  return usual;
}

function readDays(words: QueryString, problems: FieldProblem[]): number | null {
  const sent = words.get('expirationDays');
  if (typeof sent === 'string' && sent.trim().toLowerCase() === 'never') return null;
  const own: FieldProblem[] = [];
  const days = readWhole(words, 'expirationDays', [1, MAX_EMBED_DAYS], DEFAULT_EMBED_DAYS, own);
  problems.push(...own.map(({ field, message }) => ({ field, message: message.replace(/\.$/, ', or never.') })));
  return days;
}

function readText(words: QueryString, field: string, most: number, problems: FieldProblem[]): string {
  const sent = words.get(field) ?? '';
  if (typeof sent !== 'string') problems.push({ field, message: 'Expected a single text.' });
  else if ([...sent].length > most) problems.push({ field, message: `Expected at most ${most} characters.` });
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
