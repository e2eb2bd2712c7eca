import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Browse } from '../../delivery/use-cases/browse.ts';
import { failed, type Result, succeeded } from '../../errors.ts';
import { callOf } from '../http/call-of.ts';
import { sendFailure } from '../http/failure-response.ts';
import { queryParameters } from './wire.ts';

export function registerParameterRoutes(app: FastifyInstance, browse: Pick<Browse, 'parameters'>): void {
  app.get(
    '/api/v1/JsonBuilder/GetQueryParameters',
    {
      schema: {
        tags: ['Execution'],
        summary: 'The parameters that a query takes',
        querystring: z.object({ queryName: z.string().describe('Technical name of an Active query') }),
        response: { 200: queryParameters },
      },
    },
    async (request, reply) => {
      // the only GET that accepts the cookie: it changes nothing, and other sites cannot read the response
      const found = await browse.parameters(callOf(request, reply, 'rest', { cookie: true }), () => queryNameOf(request));
      if (!found.ok) return sendFailure(request, reply, found.failure);
      const { queryName, current } = found.value;
      return reply.header('Cache-Control', 'no-store').send({
        QueryName: queryName,
        Parameters: current.definition.parameters.map((each) => ({
          ParameterName: each.name,
          DataType: each.dataType,
          Required: each.required,
          Default: each.default ?? null,
          Description: each.description ?? null,
        })),
      });
    },
  );
}

function queryNameOf(request: FastifyRequest): Result<string> {
  const name = new URLSearchParams(request.url.split('?')[1] ?? '').get('queryName');
  return name === null || name === '' ? failed({ kind: 'FieldMissing', field: 'queryName' }) : succeeded(name);
}
