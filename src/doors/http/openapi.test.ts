import fastify from 'fastify';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { collectOperations } from './openapi.ts';
import { nameSchemas, type Operation } from './operation.ts';

const operation: Operation = {
  id: 'getThing',
  tag: 'Health',
  summary: 'A thing',
  credentials: [],
  responses: { 200: z.object({}) },
  failures: ['NotFound'],
};
const handler = async () => null;

test('refuses a route of the interface without an operation, and leaves out a route with null', () => {
  const app = fastify();
  const openApiDocument = collectOperations(app);
  expect(() => app.get('/api/v1/things', handler)).toThrow('The route GET /api/v1/things has no operation');
  app.get('/api/v1/hidden', { config: { operation: null } }, handler);
  app.get('/page', handler);
  app.get('/api/v1/things/:id', { config: { operation } }, handler);
  expect(openApiDocument('http://sluice.test')).toMatchObject({
    servers: [{ url: 'http://sluice.test' }],
    paths: { '/api/v1/things/{id}': { get: { operationId: 'getThing' } } },
  });
  expect(JSON.stringify(openApiDocument(''))).not.toMatch(/hidden|\/page/);
});

test('refuses two schemas of the same name', () => {
  const [one, other] = [z.object({ a: z.string() }), z.object({ b: z.string() })];
  nameSchemas({ Thing: one });
  nameSchemas({ Thing: other });
  const app = fastify();
  const openApiDocument = collectOperations(app);
  app.get('/api/v1/one', { config: { operation: { ...operation, responses: { 200: one } } } }, handler);
  app.get('/api/v1/other', { config: { operation: { ...operation, responses: { 200: other } } } }, handler);
  expect(() => openApiDocument('')).toThrow('Two schemas have the name Thing');
});

test('refuses unknown fields of a request, and leaves a response open for further ones', () => {
  const app = fastify();
  const openApiDocument = collectOperations(app);
  const [body, response] = [z.object({ a: z.string().readonly() }), z.object({ a: z.number().int() })];
  app.post('/api/v1/things', { config: { operation: { ...operation, body, responses: { 200: response } } } }, handler);
  const content = (schema: unknown) => ({ content: { 'application/json': { schema } } });
  expect(openApiDocument('')).toMatchObject({
    paths: {
      '/api/v1/things': {
        post: {
          requestBody: content({ properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }),
          responses: { 200: content({ type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }) },
        },
      },
    },
  });
});
