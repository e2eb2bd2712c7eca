import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureTable } from '../../../src/core/errors.ts';
import { freePort } from '../../support/http/free-port.ts';
import { type OpenApi, type Operation, readOpenApi, type Schema } from '../../support/http/openapi.ts';
import { admin, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let document: OpenApi;
let operations: readonly (Operation & { readonly method: string; readonly path: string })[];
beforeAll(async () => {
  service = await startTestService();
  document = await readOpenApi(service.url);
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
});
afterAll(() => service.close());

describe('the OpenAPI document', () => {
  test('names the base URL in effect as its server', async () => {
    expect(document.servers).toEqual([{ url: service.url, description: 'This service' }]);
    const port = await freePort();
    const settings = { SLUICE_BASE_URL: 'https://rows.example/sluice', SLUICE_PORT: String(port), SLUICE_DEMO: 'off' };
    const behindProxy = await startTestService(settings);
    const { servers } = await readOpenApi(`http://127.0.0.1:${port}`).finally(() => behindProxy.close());
    expect(servers).toEqual([{ url: 'https://rows.example/sluice', description: 'This service' }]);
  });

  test('has a schema once: requests and responses refer to it by its name', () => {
    const bodies = operations.flatMap(({ operationId, requestBody, responses }) => [
      [operationId, requestBody?.content['application/json']?.schema],
      ...Object.values(responses).map(({ content }) => [operationId, content?.['application/json']?.schema]),
    ]);
    const inlined = bodies.filter(([, schema]) => typeof schema === 'object' && 'properties' in schema);
    expect(inlined).toEqual([]);

    const seen = new Map<string, string>();
    const copies: string[] = [];
    visit(document, '#', (node, at) => {
      if (at.includes('/allOf/1')) return; // the codes of an error response
      const text = isEnumeration(node)
        ? String(node.enum)
        : isObjectSchema(node)
          ? JSON.stringify([node.properties, node.required])
          : null;
      if (text === null) return;
      const first = seen.get(text);
      if (first === undefined) seen.set(text, at);
      else copies.push(`${at} is a copy of ${first}`);
    });
    expect(seen.size).toBeGreaterThan(60);
    expect(copies).toEqual([]);
  });

  test('lists for each operation the codes of its errors, with the status of the table', () => {
    const table = new Map(Object.values(failureTable).map(({ code, status }) => [code, status]));
    for (const { operationId, responses } of operations) {
      const errors = Object.entries(responses).filter(([status]) => /^[45]/.test(status));
      expect(errors.length, operationId).toBeGreaterThan(2);
      for (const [status, { content }] of errors) {
        const [, codes] = content?.['application/problem+json']?.schema?.allOf ?? [];
        for (const code of codes?.properties?.code?.enum ?? [])
          expect([code, table.get(String(code))]).toEqual([code, Number(status)]);
      }
    }
  });

  test('tells for each operation the credentials that it accepts', () => {
    const accepted = Object.fromEntries(
      operations.map(({ operationId, security }) => [operationId, security.flatMap((each) => Object.keys(each))]),
    );
    expect(accepted).toMatchObject({
      executeQuery: ['apiKey', 'bearer', 'basic', 'session'],
      getEmbedUrl: ['apiKey', 'bearer', 'basic'],
      createApiKey: ['basic', 'session'],
      renderEmbed: [],
      getLiveness: [],
    });
  });
});

test('every example of the OpenAPI document works on the demo catalog', async () => {
  const shown = operations.filter(
    ({ requestBody, responses, parameters = [] }) =>
      requestBody?.content['application/json']?.example !== undefined ||
      responses[200]?.content?.['application/json']?.example !== undefined ||
      parameters.some(({ example }) => example !== undefined),
  );
  expect(shown.length).toBeGreaterThan(12);
  for (const { method, path, parameters = [], requestBody, responses } of shown) {
    const sent = (place: string) => parameters.filter((each) => each.in === place && each.example !== undefined);
    const target = sent('path').reduce(
      (to, { name, example = '' }) => to.replace(`{${name}}`, encodeURIComponent(example)),
      path,
    );
    const search = new URLSearchParams(Object.fromEntries(sent('query').map(({ name, example = '' }) => [name, example])));
    const body = requestBody?.content['application/json']?.example;
    const response = await service.as(admin).call(method, `${target}?${search}`, body);
    expect([path, response.status, response.text.slice(0, 300)]).toEqual([
      path,
      expect.toSatisfy((status) => status < 300),
      expect.anything(),
    ]);
    const example = responses[200]?.content?.['application/json']?.example;
    if (example !== undefined) expect(response.json).toEqual(example);
  }
});

function visit(node: unknown, at: string, see: (node: object, at: string) => void): void {
  if (typeof node !== 'object' || node === null) return;
  see(node, at);
  for (const [name, child] of Object.entries(node)) visit(child, `${at}/${name}`, see);
}

const isEnumeration = (node: object): node is Schema & { readonly enum: readonly unknown[] } =>
  'enum' in node && Array.isArray(node.enum) && node.enum.length > 2;

const isObjectSchema = (node: object): node is Schema & { readonly properties: object } =>
  'type' in node && node.type === 'object' && 'properties' in node;
