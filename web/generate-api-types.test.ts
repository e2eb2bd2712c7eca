import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTestService } from '../test/support/services/service.ts';
import { apiTypes, type OpenApiDocument } from './generate-api-types.ts';
import { engineDescriptions } from './generate-engines.ts';

test('app/engines.ts matches the engines of the service (update it with node web/generate-api-types.ts)', () => {
  const written = readFileSync(join(import.meta.dirname, 'app', 'engines.ts'), 'utf8');
  expect(engineDescriptions() === written, 'engines.ts is out of date').toBe(true);
});

test('app/api-types.ts matches the service (update it with node web/generate-api-types.ts)', async () => {
  const service = await startTestService({ SLUICE_DEMO: 'off' });
  try {
    const { json } = await service.as().call<OpenApiDocument>('GET', '/openapi.json');
    const written = readFileSync(join(import.meta.dirname, 'app', 'api-types.ts'), 'utf8');
    expect(apiTypes(json) === written, 'api-types.ts is out of date').toBe(true);
  } finally {
    await service.close();
  }
});

test('names the schemas that are used, and leaves out the read-only fields of a request', () => {
  const thing = {
    type: 'object',
    properties: { id: { readOnly: true }, name: { type: 'string' }, kind: { $ref: '#/components/schemas/Kind' } },
    required: ['name'],
    additionalProperties: false,
  };
  const body = { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } } };
  const document = {
    paths: { '/api/v1/things': { post: body } },
    components: { schemas: { Kind: { enum: ['a', 'b'] }, Other: thing, Thing: thing } },
  };
  const types = apiTypes(document);
  expect(types).toContain('    body: Thing;');
  expect(types).not.toContain('Other');
  expect(types).toContain(`
export type Kind = 'a' | 'b';

export type Thing = {
  readonly name: string;
  readonly kind?: Kind | undefined;
};
`);
});

test('generates unions, arrays, optional fields and quoted names', () => {
  const schema = {
    type: 'object',
    properties: {
      state: { enum: ['on', 'off'] },
      both: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
      'odd-name': { type: ['integer', 'null'] },
    },
    required: ['state', 'both'],
  };
  const operation = { requestBody: { content: { 'application/json': { schema } } }, responses: { 204: {} } };
  expect(apiTypes({ paths: { '/api/v1/things/{id}': { post: operation }, '/livez': { get: {} } } }))
    .toContain(`  'POST /api/v1/things/{id}': {
    body: {
      readonly state: 'on' | 'off';
      readonly both: readonly (string | null)[];
      readonly 'odd-name'?: number | null | undefined;
    };
    response: null;
  };`);
});
