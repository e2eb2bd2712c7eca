import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { version } from '../../version.ts';

/** Generates the OpenAPI document from the schemas of the routes, adding the problem response to each. */
export async function registerOpenApi(app: FastifyInstance): Promise<void> {
  app.addHook('onRoute', (route) => {
    const { schema } = route;
    if (schema === undefined || schema.hide === true) return;
    const responses = typeof schema.response === 'object' ? schema.response : {};
    route.schema = { ...schema, response: { ...responses, default: problem } };
  });
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Sluice', version, description: 'A governed gate between databases and everyone who needs their rows.' },
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
          basic: { type: 'http', scheme: 'basic' },
          session: { type: 'apiKey', in: 'cookie', name: 'sluice_session' },
        },
      },
      security: [{ apiKey: [] }, { basic: [] }, { session: [] }],
    },
    transform: jsonSchemaTransform,
  });
}

/** The options of a route for the OpenAPI document. Fastify warns about parts that are undefined. */
export function documented(tag: string, summary: string, schema: FastifySchema = {}) {
  const parts = Object.entries(schema).filter(([, part]) => part !== undefined);
  return { schema: { tags: [tag], summary, ...Object.fromEntries(parts) } };
}

/** The same for a route that needs no credential. */
export const documentedOpen = (tag: string, summary: string, schema: FastifySchema = {}) =>
  documented(tag, summary, { security: [], ...schema });

export const undocumented = { schema: { hide: true } };

const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number().int().min(400).max(599),
    detail: z.string().describe('What went wrong and what to do'),
    code: z.string().describe('Error code, see docs/errors.md'),
    requestId: z.string(),
    errors: z.array(z.object({ field: z.string(), code: z.string(), message: z.string() })).optional(),
  })
  .describe('An error as application/problem+json');
