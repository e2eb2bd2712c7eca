import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fieldInvalid, type Result, succeeded } from '../../core/errors.ts';
import type { DeliverSummary, SummaryForm } from '../../pipeline/use-cases/chart-summary.ts';
import { handleCall, jsonTypesOf } from '../http/call-of.ts';
import { sendFailure, sendJson } from '../http/failure-response.ts';
import { type Operation, versionHeaders } from '../http/operation.ts';
import type { Origins } from '../http/origins.ts';
import { noteVersion } from '../http/server.ts';
import { refuseForm } from '../input/fields.ts';
import { type JsonTypes, readJsonObject } from '../input/json.ts';
import { toDataColumns } from '../wire/embed-fields.ts';
import { summaryBody, summaryResponse, summaryTable } from '../wire/summary-fields.ts';
import { summaryExample } from './examples.ts';
import { executeAddress, executionOperation, wantsFresh } from './page-format.ts';

const summarize: Operation = {
  ...executionOperation,
  id: 'summarizeQuery',
  summary: 'Run a query and return all of its rows grouped by a label, as charts draw them',
  description:
    'Reads the whole result, up to `SLUICE_CHART_ROWS` rows and 10,000 groups; past either it is refused with `chart_too_large` instead of' +
    ' grouping a part. With the `QueryMoreCode` of an earlier page or summary, the query does not run again.',
  body: summaryBody,
  responses: {
    200: { description: 'The groups.', content: { 'application/json': summaryResponse }, headers: versionHeaders },
  },
  failures: [...executionOperation.failures, 'ChartTooLarge'],
  example: summaryExample,
};

export interface SummaryRouteParts {
  readonly deliverSummary: DeliverSummary;
  readonly origins: Origins;
  readonly baseUrl: () => string;
}

export function registerSummaryRoutes(app: FastifyInstance, { deliverSummary, origins, baseUrl }: SummaryRouteParts): void {
  const handler = handleCall('chart', origins, async (call, request, reply) => {
    const summary = await deliverSummary(call, () => readSummaryForm(request, jsonTypesOf(call)));
    if (!summary.ok) return sendFailure(request, reply, summary.failure);
    const { columns, rows, rowsRead, groups, isWhole, drawing, code, ran } = summary.value;
    noteVersion(reply, ran, executeAddress(baseUrl));
    return sendJson(reply, {
      Columns: columns.map(({ label, class: Type }) => ({ Name: label, Type })),
      Data: rows,
      rowsRead,
      groups,
      isWhole,
      ...(drawing === null ? {} : { drawing }),
      QueryMoreCode: code,
    });
  });
  app.post('/api/v1/ChartBuilder/Summary', { config: { operation: summarize } }, handler);
}

function readSummaryForm(request: FastifyRequest, types: JsonTypes): Result<SummaryForm> {
  const body = readJsonObject(request, types);
  if (!body.ok) return body;
  const read = summaryTable.read({ body: body.value, query: request.query, headers: request.headers });
  if (!read.ok) {
    const {
      QueryName: queryName,
      Parameters: parameters,
      QueryMoreCode: code,
      labelColumn,
      dataColumn,
      seriesColumn,
    } = read.partly;
    const columns = { labelColumn: labelColumn ?? undefined, seriesColumn: seriesColumn ?? null, ...toDataColumns(dataColumn) };
    return refuseForm(read.failure, { queryName, parameters, code, chart: { ...columns, chartType: 'bar' } });
  }
  const { QueryName: queryName, Parameters: parameters, QueryMoreCode: code, dataColumn, ...sent } = read.value;
  const [first = '', ...more] = dataColumn;
  const summary = {
    labelColumn: sent.labelColumn,
    dataColumn: first,
    moreDataColumns: more,
    seriesColumn: sent.seriesColumn ?? null,
    aggregate: sent.aggregate ?? 'sum',
    timeUnit: sent.timeUnit ?? 'auto',
    sortBy: sent.sortBy ?? 'none',
    limit: sent.limit,
    chartType: sent.chartType,
    allLabels: sent.allLabels ?? false,
  } as const;
  const checkedChart = { ...summary, chartType: 'bar' } as const; // any type does to check the columns
  if (summary.aggregate === 'none' && summary.chartType === undefined)
    return refuseForm(fieldInvalid('aggregate', NO_GROUPS), { queryName, parameters, code, chart: checkedChart });
  if (code) return succeeded({ continue: code, kind: 'page', query: { queryName }, parameters, summary });
  return succeeded({
    run: { queryName },
    parameters,
    checkedChart,
    fresh: wantsFresh(request) || undefined,
    summary,
  });
}

const NO_GROUPS = 'Without an aggregate there are no groups. Choose one, or send a chartType.';
