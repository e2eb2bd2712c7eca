import type { FastifyRequest } from 'fastify';
import { DEFAULT_EMBED_DAYS, MAX_EMBED_DAYS } from '../../access/embeds/embed-token.ts';
import { chartTypes } from '../../charts/chart-config.ts';
import type { EmbedForm } from '../../delivery/use-cases/embed-issue.ts';
import { failed, type Result, succeeded } from '../../errors.ts';
import { type JsonTypes, readJsonObject } from '../http/json-body.ts';
import { type Field, fieldTable } from '../input/fields.ts';
import { parameterValues } from '../input/parameters.ts';
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

const table = fieldTable({
  queryName: required(line(1000)),
  parameters: parameterValues({ asText: true }),
  chartType: choice([...chartTypes.map(({ type }) => type), 'doughnut'], {}, plainType),
  labelColumn: line(1000),
  dataColumn: line(1000),
  title: line(300),
  chartHeight: option(100, 4000),
  animationSpeed: option(0, 10_000),
  showToolbar: toggle,
  showDataLabels: toggle,
  showGrid: toggle,
  showLegend: toggle,
  enableZoom: toggle,
  enableAnimations: toggle,
  barOrientation: choice(['vertical', 'horizontal']),
  barWidth: option(1, 100),
  legendPosition: choice(['top', 'bottom', 'left', 'right']),
  theme: choice(['auto', 'light', 'dark']),
  patterns: toggle,
  expirationDays,
});

/** Reads the options of GetEmbedUrl from the query string, a JSON body or a form body. */
export function readEmbedForm(request: FastifyRequest, types: JsonTypes): Result<EmbedForm> {
  const body = readBody(request, types);
  if (!body.ok) return body;
  const read = table.read({ body: body.value, query: request.query });
  if (!read.ok) return read;
  const { queryName, parameters = [], expirationDays: sent = DEFAULT_EMBED_DAYS, chartType, ...options } = read.value;
  const chart = { ...options, chartType: chartType === 'doughnut' ? 'donut' : chartType };
  return succeeded({ queryName, parameters, chart, days: sent === 'never' ? null : sent });
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
    if (value !== '') fields[name] = before === undefined ? value : [before, value].flat();
  }
  return succeeded(fields);
}
