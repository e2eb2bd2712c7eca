import type { FastifyRequest } from 'fastify';
import { DEFAULT_EMBED_DAYS } from '../../access/share.ts';
import type { ChartType } from '../../core/chart-config.ts';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import type { EmbedForm } from '../../pipeline/use-cases/embed-issue.ts';
import { refuseForm } from '../input/fields.ts';
import { type JsonTypes, readJsonObject } from '../input/json.ts';
import { embedTable, toDataColumns } from '../wire/embed-fields.ts';

/** Reads the options of GetEmbedUrl from the query string, a JSON body or a form body. */
export function readEmbedForm(request: FastifyRequest, types: JsonTypes): Result<EmbedForm> {
  const body = readBody(request, types);
  if (!body.ok) return body;
  const read = embedTable.read({ body: body.value, query: request.query });
  if (!read.ok) {
    const { queryName, parameters, open, labelColumn, dataColumn, seriesColumn, chartType } = read.partly;
    const columns = {
      labelColumn: labelColumn ?? undefined,
      seriesColumn: seriesColumn ?? undefined,
      ...toDataColumns(dataColumn),
    };
    // any type does to check the columns; a wrong one is already reported
    const chart = { ...columns, chartType: chartType === null ? 'bar' : toChartType(chartType) };
    return refuseForm(read.failure, { queryName, parameters, chart, open });
  }
  const { queryName, parameters = [], expirationDays = DEFAULT_EMBED_DAYS, ...others } = read.value;
  const { viewer = 'issuer', open: sentOpen = [], chartType, dataColumn, ...options } = others;
  const chart = { ...options, ...toDataColumns(dataColumn), chartType: toChartType(chartType) };
  const days = expirationDays === 'never' ? null : expirationDays;
  const isForViewers = viewer === 'signed';
  return succeeded({ run: { queryName }, parameters, checkedChart: chart, days, viewer, sentOpen, isForViewers });
}

const toChartType = (sent: ChartType | 'doughnut' | undefined): ChartType | undefined => (sent === 'doughnut' ? 'donut' : sent);

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/** A form is not accepted with the cookie, because another site could send one. */
function readBody(request: FastifyRequest, types: JsonTypes): Result<Readonly<Record<string, unknown>>> {
  if (!FORM.test(request.headers['content-type'] ?? '')) return readJsonObject(request, types, true);
  return types === 'json' ? failed({ kind: 'MediaTypeUnsupported' }) : succeeded(readFormBody(request));
}

/** The fields of a form that are filled in. */
export function readFormBody({ body }: Pick<FastifyRequest, 'body'>): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = Object.create(null); // a name may be __proto__
  for (const [name, value] of new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8') : '')) {
    const before = fields[name];
    if (value === '') continue;
    if (Array.isArray(before)) before.push(value);
    else fields[name] = before === undefined ? value : [before, value];
  }
  return fields;
}
