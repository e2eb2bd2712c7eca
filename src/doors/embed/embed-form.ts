import type { FastifyRequest } from 'fastify';
import { DEFAULT_EMBED_DAYS, MAX_EMBED_DAYS } from '../../access/embeds/embed-token.ts';
import {
  aggregates,
  barOrientations,
  chartThemes,
  chartTypes,
  legendPositions,
  sortings,
  stackings,
} from '../../core/chart-config.ts';
import type { EmbedForm } from '../../delivery/use-cases/embed-issue.ts';
import { failed, type Result, succeeded } from '../../errors.ts';
import { type JsonTypes, readJsonObject } from '../http/json-body.ts';
import { type Field, fieldTable } from '../input/fields.ts';
import { parameterValues } from '../input/parameters.ts';
import { refusedForm } from '../input/sent-query.ts';
import { choice, plainType, required, text, toggle, whole } from '../input/values.ts';

const line = (max: number) => text({ max, refused: /\p{Cc}/u, expected: 'It must not contain control characters.' });
const option = (min: number, max: number) => whole(min, max, false);

const days = option(1, MAX_EMBED_DAYS);
const expirationDays: Field<number | 'never'> & { required: false } = {
  ...days,
  read(value, path, problems) {
    if (typeof value === 'string' && value.trim().toLowerCase() === 'never') return 'never';
    const { length } = problems;
    const read = days.read(value, path, problems);
    if (problems.length > length)
      problems[length] = { field: path, message: `Expected a whole number from 1 to ${MAX_EMBED_DAYS}, or never.` };
    return read;
  },
};

const columnName = line(1000);

/** One column, or several: a repeated parameter, or a list in a JSON body. */
const columnNames: Field<readonly string[]> & { required: false } = {
  ...columnName,
  read(value, path, problems) {
    const sent = Array.isArray(value) ? value : [value];
    if (sent.length > MAX_DATA_COLUMNS) problems.push({ field: path, message: `Expected at most ${MAX_DATA_COLUMNS} columns.` });
    const names = sent.slice(0, MAX_DATA_COLUMNS).flatMap((each) => columnName.read(each, path, problems) || []);
    return names.length === 0 ? undefined : names;
  },
};

const MAX_DATA_COLUMNS = 20;

/** Sources of a Content-Security-Policy, which is a header: nothing else may stand there. */
export const FRAME_SOURCES =
  /^(?:'self'|'none'|(?:https?:\/\/)?(?:\*\.)?[a-z0-9.-]+(?::(?:\d+|\*))?)(?: (?:'self'|(?:https?:\/\/)?(?:\*\.)?[a-z0-9.-]+(?::(?:\d+|\*))?))*$/i;
export const EXPECTED_SOURCES =
  "Expected sources as in frame-ancestors: 'self' https://intranet.example.com https://*.example.org.";
const sources = line(1000);
const frameAncestors: Field<string> & { required: false } = {
  ...sources,
  read(value, path, problems) {
    const read = sources.read(value, path, problems)?.trim().replace(/\s+/g, ' ');
    if (read === undefined || read === '' || FRAME_SOURCES.test(read)) return read;
    problems.push({ field: path, message: EXPECTED_SOURCES });
    return undefined;
  },
};

const table = fieldTable({
  queryName: required(line(1000)),
  parameters: parameterValues({ asText: true }),
  chartType: choice([...chartTypes.map(({ type }) => type), 'doughnut'], {}, plainType),
  labelColumn: line(1000),
  dataColumn: columnNames,
  seriesColumn: line(1000),
  stacked: choice(stackings),
  aggregate: choice(aggregates),
  sortBy: choice(sortings, { 'as is': 'none' }),
  title: line(300),
  chartHeight: option(100, 4000),
  animationSpeed: option(0, 10_000),
  showToolbar: toggle,
  showDataLabels: toggle,
  showGrid: toggle,
  showLegend: toggle,
  enableZoom: toggle,
  enableAnimations: toggle,
  barOrientation: choice(barOrientations),
  barWidth: option(1, 100),
  legendPosition: choice(legendPositions),
  theme: choice(chartThemes),
  patterns: toggle,
  frameAncestors,
  expirationDays,
});

/** Reads the options of GetEmbedUrl from the query string, a JSON body or a form body. */
export function readEmbedForm(request: FastifyRequest, types: JsonTypes): Result<EmbedForm> {
  const body = readBody(request, types);
  if (!body.ok) return body;
  const read = table.read({ body: body.value, query: request.query });
  if (!read.ok) {
    const { queryName, parameters } = read.partly;
    return refusedForm(read.failure, { queryName, parameters });
  }
  const { queryName, parameters = [], expirationDays: sent = DEFAULT_EMBED_DAYS, chartType, dataColumn, ...options } = read.value;
  const [first, ...more] = dataColumn ?? [];
  const columns = first === undefined ? {} : { dataColumn: first, moreDataColumns: more };
  const chart = { ...options, ...columns, chartType: chartType === 'doughnut' ? 'donut' : chartType };
  return succeeded({ run: { queryName }, parameters, embeddedChart: chart, days: sent === 'never' ? null : sent });
}

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/** A form is not accepted with the cookie, because another site could send one. */
function readBody(request: FastifyRequest, types: JsonTypes): Result<Readonly<Record<string, unknown>>> {
  const { body } = request;
  if (!FORM.test(request.headers['content-type'] ?? '')) return readJsonObject(request, types, true);
  if (types === 'json') return failed({ kind: 'MediaTypeUnsupported' });
  const fields: Record<string, unknown> = Object.create(null); // a name may be __proto__
  for (const [name, value] of new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8') : '')) {
    const before = fields[name];
    if (value === '') continue;
    if (Array.isArray(before)) before.push(value);
    else fields[name] = before === undefined ? value : [before, value];
  }
  return succeeded(fields);
}
