import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Result, succeeded } from '../../core/errors.ts';
import type { ChoicesForm, DeliverChoices } from '../../pipeline/use-cases/choices.ts';
import { callOf } from '../http/call-of.ts';
import { sendFailure } from '../http/failure-response.ts';
import { anyCredential, credentialFailures, fieldFailures, nameSchemas, type Operation, runFailures } from '../http/operation.ts';
import { fieldTable, isObject, pathValue } from '../input/fields.ts';
import { queryPath } from '../wire/page-fields.ts';
import { parameterValues } from '../wire/parameters.ts';
import { anyText, documentField, readFromBody, requireField, wholeNumber, requestSchema } from '../wire/values.ts';

const fields = {
  parameter: requireField(
    documentField(anyText('Expected the @Name of a parameter.'), 'The @Name of a parameter whose choices come from a query'),
  ),
  search: documentField(anyText(), 'Only choices whose label contains this text, ignoring case'),
  limit: documentField(wholeNumber(1, 1000), 'At most this many choices; default 50'),
  values: readFromBody(parameterValues()),
};
const table = fieldTable(fields);

const choicesResponse = z.object({
  items: z.array(z.object({ value: z.string().describe('To send'), label: z.string().describe('To show') })),
  truncated: z.boolean().describe('Whether there are more'),
});
nameSchemas({ Choices: choicesResponse });

const getChoices: Operation = {
  id: 'getChoices',
  tag: 'Execution',
  summary: 'The choices of a parameter, from the query that its author named',
  description: 'Values of the parameters that the choices depend on are sent under their names: `?parameter=@City&@Country=PT`.',
  credentials: anyCredential,
  params: queryPath,
  query: requestSchema(fields, 'query'),
  responses: { 200: choicesResponse },
  failures: [...credentialFailures, ...fieldFailures, ...runFailures],
};

export function registerChoicesRoutes(app: FastifyInstance, deliverChoices: DeliverChoices): void {
  app.get('/api/v1/queries/:queryName/choices', { config: { operation: getChoices } }, async (request, reply) => {
    // like GetQueryParameters it accepts the cookie: it changes nothing, and other sites cannot read the response
    const found = await deliverChoices(callOf(request, reply, 'rest', { cookie: true }), () => formOf(request));
    if (!found.ok) return sendFailure(request, reply, found.failure);
    return reply.header('Cache-Control', 'no-store').send(found.value);
  });
}

const DEFAULT_LIMIT = 50;

/** Names that begin with `@` are values of parameters. */
function formOf({ params, query }: FastifyRequest): Result<ChoicesForm> {
  const sent = Object.entries(isObject(query) ? query : {});
  const isValue = ([name]: readonly [string, unknown]): boolean => name.startsWith('@');
  const read = table.read({
    query: Object.fromEntries(sent.filter((each) => !isValue(each))),
    body: { values: Object.fromEntries(sent.filter(isValue)) },
  });
  if (!read.ok) return read;
  const { parameter, search = '', limit = DEFAULT_LIMIT, values = [] } = read.value;
  return succeeded({
    run: { queryName: pathValue(params, 'queryName') },
    parameters: values,
    choicesOf: parameter,
    search,
    limit,
  });
}
