import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ChoicesForm, DeliverChoices } from '../../delivery/use-cases/choices.ts';
import { type Result, succeeded } from '../../errors.ts';
import { callOf } from '../http/call-of.ts';
import { sendFailure } from '../http/failure-response.ts';
import { anyCredential, credentialFailures, fieldFailures, nameSchemas, type Operation, runFailures } from '../http/operation.ts';
import { fieldTable, isObject } from '../input/fields.ts';
import { parameterValues } from '../input/parameters.ts';
import { anyText, inBody, required, whole } from '../input/values.ts';
import { queryPath } from './wire.ts';

const choicesQuery = z.object({
  parameter: z.string().describe('The @Name of a parameter whose choices come from a query'),
  search: z.string().optional().describe('Only choices whose label contains this text, ignoring case'),
  limit: z.number().int().min(1).max(1000).optional().describe('At most this many choices; default 50'),
});

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
  query: choicesQuery,
  responses: { 200: choicesResponse },
  failures: [...credentialFailures, ...fieldFailures, ...runFailures, 'StateConflict'],
};

export function registerChoicesRoutes(app: FastifyInstance, deliverChoices: DeliverChoices): void {
  app.get('/api/v1/queries/:queryName/choices', { config: { operation: getChoices } }, async (request, reply) => {
    // like GetQueryParameters it accepts the cookie: it changes nothing, and other sites cannot read the response
    const found = await deliverChoices(callOf(request, reply, 'rest', { cookie: true }), () => formOf(request));
    if (!found.ok) return sendFailure(request, reply, found.failure);
    return reply.header('Cache-Control', 'no-store').send(found.value);
  });
}

const table = fieldTable({
  parameter: required(anyText('Expected the @Name of a parameter.')),
  search: anyText(),
  limit: whole(1, 1000),
  values: inBody(parameterValues()),
});

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
  const queryName = isObject(params) ? String(params.queryName) : '';
  return succeeded({ run: { queryName }, parameters: values, choicesOf: parameter, search, limit });
}
