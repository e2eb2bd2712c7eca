import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Channel } from '../../audit/audit-entry.ts';
import { sendableParameters } from '../../catalog/parameter.ts';
import type { ParameterChoices } from '../../catalog/query.ts';
import type { Result } from '../../core/errors.ts';
import { nameAsCalled } from '../../pipeline/find-query.ts';
import type { Browse } from '../../pipeline/use-cases/browse.ts';
import type { DeliverPage, Page, PageForm } from '../../pipeline/use-cases/page.ts';
import { callOf, handleCall, jsonTypesOf } from '../http/call-of.ts';
import { compressOnce, type ContentCoding, contentCodingOf, MIN_COMPRESSED_BYTES, varyByCoding } from '../http/content-coding.ts';
import { sendFailure } from '../http/failure-response.ts';
import {
  anyCredential,
  credentialFailures,
  fieldFailures,
  nameSchemas,
  type Operation,
  type ResponseBody,
  versionHeaders,
} from '../http/operation.ts';
import type { Origins } from '../http/origins.ts';
import { noteVersion, sendOnce } from '../http/server.ts';
import { fieldTable, pathValue } from '../input/fields.ts';
import type { JsonTypes } from '../input/json.ts';
import { chartPage, queryPath, resultPage, sentQuery, shortBody, shortPage } from '../wire/page-fields.ts';
import { describeParameter } from '../wire/parameters.ts';
import { anyText, requireField } from '../wire/values.ts';
import { executeChartExample, executeExample, parametersExample, shortExample } from './examples.ts';
import {
  bodyOf,
  bytesOf,
  chartResponse,
  executeAddress,
  type PageResponse,
  pageResponse,
  readChartForm,
  readPageForm,
  readShortForm,
  toShortResponse,
  executionOperation,
} from './page-format.ts';

const queryParameters = z.object({
  QueryName: z.string(),
  Parameters: z.array(
    z.object({
      ParameterName: z.string(),
      DataType: z.string(),
      Required: z.boolean(),
      Default: z.string().nullable(),
      Description: z.string().nullable(),
      Values: z.array(z.string()).readonly().nullable().describe('The values that it takes, in any case; null: any value'),
      ValuesOpen: z.boolean().optional().describe('True: the values are suggestions, and others are taken, too'),
      Multiple: z.boolean().describe('Whether it takes a list of values'),
      Choices: z
        .object({
          DependsOn: z.array(z.string()).describe('Parameters whose values the choices depend on'),
          Only: z.boolean().describe('Whether other values are refused'),
        })
        .optional()
        .describe('Left out: it has none. Get them from /api/v1/queries/{queryName}/choices'),
    }),
  ),
});

nameSchemas({ DeclaredParameters: queryParameters });

const pageOf = (schema: z.ZodType): ResponseBody => ({
  description: 'A page of rows.',
  content: { 'application/json': schema },
  headers: ['X-Cache', 'Age', 'X-Result-Incomplete', 'X-Result-Rows', ...versionHeaders],
});

const PAGING =
  'For the next page, repeat the call with `QueryMoreCode` and `NextRowIndex` of the response as `QueryMoreCode` and `RowIndex`, until' +
  ' `QueryMoreCode` is null. Paging fields are read from the body, the query string or the headers, in this order.';

const executeQuery: Operation = {
  ...executionOperation,
  id: 'executeQuery',
  summary: 'Run a query and return a page of rows as JSON',
  description: PAGING,
  body: sentQuery,
  responses: { 200: pageOf(resultPage) },
  example: executeExample,
};

const executeChartQuery: Operation = {
  ...executionOperation,
  id: 'executeChartQuery',
  summary: 'Run a query and return a page of rows, with each column classified as categorical or numeric',
  description: PAGING,
  body: sentQuery,
  responses: { 200: pageOf(chartPage) },
  example: executeChartExample,
};

const executeQueryByName: Operation = {
  ...executionOperation,
  id: 'executeQueryByName',
  summary: 'Like JsonBuilder/ExecuteQuery in camelCase, with the query in the path',
  description: PAGING,
  params: queryPath,
  body: shortBody,
  bodyOptional: true,
  responses: { 200: pageOf(shortPage) },
  example: shortExample,
};

const getQueryParameters: Operation = {
  id: 'getQueryParameters',
  tag: 'Execution',
  summary: 'The parameters that a query takes',
  credentials: anyCredential,
  query: queryPath,
  responses: { 200: queryParameters },
  failures: [...credentialFailures, ...fieldFailures, 'QueryNotAccessible', 'VersionUnknown', 'VersionRetired'],
  example: parametersExample,
};

export interface ExecuteRouteParts {
  readonly deliverPage: DeliverPage;
  readonly browse: Pick<Browse, 'parameters'>;
  readonly origins: Origins;
  readonly baseUrl: () => string;
}

/** docs/spec.md 4.1, 4.2 and the short form: one use-case, three formats; and the parameters of a query. */
export function registerExecuteRoutes(app: FastifyInstance, { deliverPage, browse, origins, baseUrl }: ExecuteRouteParts): void {
  const addressOf = executeAddress(baseUrl);
  const handlerFor = (
    channel: Channel,
    form: (request: FastifyRequest, types: JsonTypes) => Result<PageForm>,
    render: (page: Page) => PageResponse,
  ) =>
    handleCall(channel, origins, async (call, request, reply) => {
      const page = await deliverPage(call, () => form(request, jsonTypesOf(call)));
      if (!page.ok) return sendFailure(request, reply, page.failure);
      const { cache, incomplete, totalRows, ran } = page.value;
      noteVersion(reply, ran, addressOf);
      if (incomplete !== null) reply.header('X-Result-Incomplete', incomplete);
      if (totalRows !== null) reply.header('X-Result-Rows', String(totalRows));
      if (cache !== null) reply.header('X-Cache', cache.hit ? 'hit' : 'miss');
      if (cache?.hit === true) reply.header('Age', String(cache.ageSeconds));
      reply.header('Cache-Control', 'no-store').header('Content-Type', 'application/json; charset=utf-8');
      const response = render(page.value);
      const coding = codingOf(request, response);
      if (coding === null) return sendOnce(reply, bodyOf(response));
      const body = await compressOnce(bytesOf(response), coding);
      return sendOnce(varyByCoding(reply).header('Content-Encoding', coding), body);
    });

  app.post(
    '/api/v1/JsonBuilder/ExecuteQuery',
    { config: { operation: executeQuery } },
    handlerFor('rest', readPageForm, pageResponse),
  );
  app.post(
    '/api/v1/ChartBuilder/ExecuteQuery',
    { config: { operation: executeChartQuery } },
    handlerFor('chart', readChartForm, chartResponse),
  );
  app.post(
    '/api/query/execute/:queryName',
    { config: { operation: executeQueryByName } },
    handlerFor(
      'rest',
      (request, types) => readShortForm(request, types, pathValue(request.params, 'queryName')),
      toShortResponse,
    ),
  );
  registerParameterRoutes(app, browse);
}

/** Other sites cannot cause these responses, so that their size reveals nothing: see `forgeryOf`. */
const codingOf = ({ headers }: FastifyRequest, { head, rows, tail }: PageResponse): ContentCoding | null =>
  head.length + rows.length + tail.length < MIN_COMPRESSED_BYTES ? null : contentCodingOf(headers['accept-encoding']);

function registerParameterRoutes(app: FastifyInstance, browse: ExecuteRouteParts['browse']): void {
  app.get('/api/v1/JsonBuilder/GetQueryParameters', { config: { operation: getQueryParameters } }, async (request, reply) => {
    // like the choices, it accepts the cookie: it changes nothing, and other sites cannot read the response
    const found = await browse.parameters(callOf(request, reply, 'rest', { cookie: true }), () =>
      parametersTable.read({ query: request.query }),
    );
    if (!found.ok) return sendFailure(request, reply, found.failure);
    const { current } = found.value.query;
    return reply.header('Cache-Control', 'no-store').send({
      QueryName: nameAsCalled(found.value),
      Parameters: sendableParameters(current.definition.parameters).map((each) => ({
        ...describeParameter(each),
        Values: each.values ?? null,
        ...(each.valuesOpen === true ? { ValuesOpen: true } : {}),
        Multiple: each.multiple ?? false,
        ...(each.choices === undefined ? {} : { Choices: choicesOf(each.choices, each.choicesOnly) }),
      })),
    });
  });
}

const choicesOf = ({ parameters = {} }: ParameterChoices, only = false) => ({ DependsOn: Object.values(parameters), Only: only });

const parametersTable = fieldTable({ queryName: requireField(anyText()) });
