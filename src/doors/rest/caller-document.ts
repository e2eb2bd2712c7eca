import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { sendableParameters } from '../../catalog/parameter.ts';
import { version } from '../../core/version.ts';
import type { Browse, DescribedQuery } from '../../pipeline/use-cases/browse.ts';
import { labelColumns } from '../../results/columns.ts';
import { callOf } from '../http/call-of.ts';
import { addVary, bodyStream, contentCodingOf } from '../http/content-coding.ts';
import { problem, sendFailure } from '../http/failure-response.ts';
import { Components } from '../http/openapi.ts';
import { anyCredential, credentialFailures, credentials, formFailures, type Operation } from '../http/operation.ts';
import { fieldTable } from '../input/fields.ts';
import { shortPaging, shortPosition } from '../wire/page-fields.ts';
import { parametersSchema, rowSchema } from '../wire/query-schema.ts';

const operation: Operation = {
  id: 'getQueriesDocument',
  tag: 'Execution',
  summary: 'An OpenAPI document with a typed operation for each query that I may run',
  description: 'For generators of clients. It has an ETag, which changes with the queries.',
  credentials: anyCredential,
  responses: {
    200: { description: 'The document.', content: { 'application/json': z.record(z.string(), z.unknown()) }, headers: ['ETag'] },
    304: { description: 'The document is the one of `If-None-Match`.' },
  },
  failures: [...credentialFailures, ...formFailures, 'ResponsesUnread'],
};

export interface CallerDocumentParts {
  readonly browse: Pick<Browse, 'describedQueries'>;
  readonly baseUrl: () => string;
}

/** The document of a caller; `/openapi.json` is that of the service, for everyone. */
export function registerCallerDocument(app: FastifyInstance, { browse, baseUrl }: CallerDocumentParts): void {
  app.get('/api/v1/openapi.json', { config: { operation } }, async (request, reply) => {
    // like parameters, it may be read with the cookie: nothing changes, and other sites cannot read the response
    const call = callOf(request, reply, 'rest', { cookie: true });
    const described = await browse.describedQueries(call, () => noFields.read({ query: request.query }));
    if (!described.ok) return sendFailure(request, reply, described.failure);
    const { tag, queries } = described.value;
    const etag = `W/"${tag}"`;
    addVary(reply, 'Accept-Encoding, Authorization, Cookie, X-API-Key')
      .header('ETag', etag)
      .header('Cache-Control', 'private, no-cache')
      .header('Cross-Origin-Resource-Policy', 'same-origin');
    if (request.headers['if-none-match']?.includes(etag) === true) return reply.code(304).send();
    if (request.method === 'HEAD') return reply.type(TYPE).send();
    const coding = contentCodingOf(request.headers['accept-encoding']);
    if (coding !== null) reply.header('Content-Encoding', coding);
    return reply.type(TYPE).send(bodyStream(encodePieces(writeDocument(queries, baseUrl())), coding));
  });
}

const TYPE = 'application/json; charset=utf-8';
const noFields = fieldTable({});

async function* encodePieces(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(piece);
}

const DESCRIPTION = `The queries that the reader of this document may run. All pages of a result come from one execution: for the next page, repeat the call with
\`nextRowIndex\` and \`queryMoreCode\` of the response as \`rowIndex\` and \`queryMoreCode\`, until \`queryMoreCode\` is null.`;

/** An OpenAPI document with one operation for each query, in pieces: a catalog may have thousands. */
async function* writeDocument(queries: AsyncIterable<DescribedQuery>, baseUrl: string): AsyncGenerator<string> {
  const { apiKey, bearer, basic } = credentials;
  const schemas = new Components();
  const references = { paging: schemas.add(shortPaging, 'input'), position: schemas.add(shortPosition, 'output') };
  const failure = {
    description: 'A problem.',
    content: { 'application/problem+json': { schema: schemas.add(problem, 'output') } },
  };
  const frame = {
    openapi: '3.1.0',
    info: { title: 'Queries of Sluice', version, description: DESCRIPTION },
    servers: [{ url: baseUrl }],
    security: Object.keys({ apiKey, bearer, basic }).map((name) => ({ [name]: [] })),
    components: { securitySchemes: { apiKey, bearer, basic }, responses: { Problem: failure }, schemas: schemas.toSorted() },
  };
  yield `${JSON.stringify(frame).slice(0, -1)},"paths":{`;
  let separator = '';
  for await (const each of queries) {
    const path = JSON.stringify(`/api/query/execute/${each.query.queryName}`);
    yield `${separator}${path}:${JSON.stringify({ post: describeQuery(each, references) })}`;
    separator = ',';
  }
  yield '}}';
}

/** The schemas are inline, because a technical name may have letters that the name of a component may not have. */
function describeQuery(
  { query, database, hasLooseTypes }: DescribedQuery,
  { paging, position }: Readonly<Record<string, object>>,
) {
  const { definition, labels, resultColumns } = query.current;
  const parameters = parametersSchema(sendableParameters(definition.parameters));
  const columns = resultColumns && labelColumns(resultColumns, definition.columns);
  const needsBody = parameters.required.length > 0;
  const writes = definition.epilogue === undefined ? '' : 'It also writes data.';
  const described = [labels.description, labels.tip, writes].map((each) => each.trim()).filter((each) => each !== '');
  const body = { type: 'object', properties: { parameters }, ...(needsBody ? { required: ['parameters'] } : {}) };
  const page = {
    type: 'object',
    properties: { data: { type: 'array', items: rowSchema(columns, hasLooseTypes) } },
    required: ['data'],
  };
  return {
    operationId: query.queryName,
    tags: [database.name],
    summary: definition.name,
    ...(described.length === 0 ? {} : { description: described.join('\n\n') }),
    requestBody: { required: needsBody, content: { 'application/json': { schema: { allOf: [paging, body] } } } },
    responses: {
      200: { description: 'A page of rows.', content: { 'application/json': { schema: { allOf: [position, page] } } } },
      '4XX': { $ref: '#/components/responses/Problem' },
      '5XX': { $ref: '#/components/responses/Problem' },
    },
  };
}
