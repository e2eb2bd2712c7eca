import type { FastifyRequest } from 'fastify';
import { DEFAULT_EMBED_DAYS, MAX_EMBED_DAYS } from '../../access/embeds/embed-token.ts';
import type { SentParameter } from '../../catalog/parameter.ts';
import { type ChartConfig, chartConfigDefaults, chartTypes } from '../../charts/chart-config.ts';
import type { EmbedForm } from '../../delivery/use-cases/embed-issue.ts';
import { type FieldProblem, failed, fieldInvalid, type Result, succeeded } from '../../errors.ts';
import { parseJson } from '../http/json-body.ts';
import { type QueryString, queryStringOf } from '../http/query-string.ts';
import { parameterList } from '../http/sent-parameters.ts';

/** Reads the query string of GetEmbedUrl. Reports all invalid parameters at once and ignores unknown ones. */
export function readEmbedForm(request: FastifyRequest): Result<EmbedForm> {
  const queryString = queryStringOf(request);
  const missing = ['queryName', 'chartType', 'labelColumn', 'dataColumn'].find((field) => (queryString.get(field) ?? '') === '');
  if (missing !== undefined) return failed({ kind: 'FieldMissing', field: missing });
  const parameters = readParameters(queryString.get('parameters'));
  if (!parameters.ok) return parameters;

  const read = reader(queryString);
  const form = { chart: readChart(read), days: readDays(read, queryString), queryName: read.text('queryName', 1000) };
  if (read.problems.length > 0) return failed({ kind: 'FieldInvalid', problems: read.problems });
  return succeeded({ ...form, parameters: parameters.value });
}

function readChart({ choice, text, toggle, whole }: Reader): ChartConfig {
  const fallback = chartConfigDefaults;
  const types = chartTypes.map(({ type }) => type);
  const chartType = choice('chartType', [...types, 'doughnut'], 'bar');
  return {
    chartType: chartType === 'doughnut' ? 'donut' : chartType,
    labelColumn: text('labelColumn', 1000),
    dataColumn: text('dataColumn', 1000),
    title: text('title', 300),
    chartHeight: whole('chartHeight', [100, 4000], fallback.chartHeight),
    animationSpeed: whole('animationSpeed', [0, 10_000], fallback.animationSpeed),
    showToolbar: toggle('showToolbar', fallback.showToolbar),
    showDataLabels: toggle('showDataLabels', fallback.showDataLabels),
    showGrid: toggle('showGrid', fallback.showGrid),
    showLegend: toggle('showLegend', fallback.showLegend),
    enableZoom: toggle('enableZoom', fallback.enableZoom),
    enableAnimations: toggle('enableAnimations', fallback.enableAnimations),
    barOrientation: choice('barOrientation', ['vertical', 'horizontal'], fallback.barOrientation),
    barWidth: whole('barWidth', [1, 100], fallback.barWidth),
    legendPosition: choice('legendPosition', ['top', 'bottom', 'left', 'right'], fallback.legendPosition),
    theme: choice('theme', ['auto', 'light', 'dark'], fallback.theme),
    patterns: toggle('patterns', fallback.patterns),
  };
}

type Reader = ReturnType<typeof reader>;

/** Reads fields; collects problems and returns the fallback for invalid values. */
function reader(queryString: QueryString) {
  const problems: FieldProblem[] = [];
  // ignores case: the wizard sends Vertical, programs send vertical
  const choice = <T extends string>(field: string, choices: readonly T[], fallback: T): T => {
    const sent = queryString.get(field) ?? '';
    if (sent === '') return fallback;
    const found = choices.find((each) => typeof sent === 'string' && each.toLowerCase() === sent.trim().toLowerCase());
    if (found === undefined) problems.push({ field, message: `Expected one of ${choices.join(', ')}.` });
    return found ?? fallback;
  };
  return {
    problems,
    choice,
    toggle: (field: string, fallback: boolean): boolean =>
      choice(field, ['true', 'false'], fallback ? 'true' : 'false') === 'true',
    whole(field: string, [min, max]: readonly [number, number], fallback: number, orElse = ''): number {
      const sent = queryString.get(field) ?? '';
      if (sent === '') return fallback;
      const number = typeof sent === 'string' && /^\d{1,9}$/.test(sent.trim()) ? Number(sent) : Number.NaN;
      if (number >= min && number <= max) return number;
      problems.push({ field, message: `Expected a whole number from ${min} to ${max}${orElse}.` });
      return fallback;
    },
    text(field: string, max: number): string {
      const sent = queryString.get(field) ?? '';
      if (typeof sent !== 'string') problems.push({ field, message: 'Expected a single text.' });
      else if ([...sent].length > max) problems.push({ field, message: `Expected at most ${max} characters.` });
      else if (/\p{Cc}/u.test(sent) || !sent.isWellFormed())
        problems.push({ field, message: 'It must not contain control characters.' });
      return String(sent);
    },
  };
}

function readDays({ whole }: Reader, queryString: QueryString): number | null {
  const sent = queryString.get('expirationDays');
  if (typeof sent === 'string' && sent.trim().toLowerCase() === 'never') return null;
  return whole('expirationDays', [1, MAX_EMBED_DAYS], DEFAULT_EMBED_DAYS, ', or never');
}

function readParameters(sent: unknown): Result<readonly SentParameter[]> {
  if (sent === undefined || sent === '') return succeeded([]);
  const json = typeof sent === 'string' ? parseJson(sent) : null;
  if (json === null || !json.ok || !Array.isArray(json.value))
    return failed(fieldInvalid('parameters', 'Expected a JSON array such as [{"ParameterName":"@Region","Value":"North"}].'));
  return parameterList(json.value, 'parameters', { name: 'ParameterName', value: 'Value', type: 'DataType' });
}
