import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectSuccess, createNote } from '../../../test/support/people/people.ts';
import { type Catalog, openCatalog } from '../../../test/support/queries/catalog.ts';
import type { Call } from '../../pipeline/call.ts';
import { databaseRoutes } from './database-routes.ts';
import type { ManagementRoute } from './management-route.ts';
import { queryRoutes } from './query-routes.ts';

let catalog: Catalog;
let routes: readonly ManagementRoute[];
beforeAll(async () => {
  catalog = await openCatalog();
  routes = [...databaseRoutes(catalog), ...queryRoutes(catalog)];
});
afterAll(() => catalog.close());

const call: Call = {
  requestId: 'r',
  channel: 'management',
  credential: { kind: 'none' },
  address: '',
  client: null,
  startedAt: 0,
  onEnd: () => undefined,
  signal: new AbortController().signal,
};

function routeOf(line: string): ManagementRoute {
  const route = routes.find(({ method, path }) => `${method} ${path}` === line);
  if (route === undefined) throw new Error(`no route ${line}`);
  return route;
}

const request = new IncomingMessage(new Socket());

/** Calls a route like the server does; throws if a schema rejects the input. */
async function send(line: string, sent: { params?: unknown; query?: unknown; body?: unknown } = {}): Promise<unknown> {
  const route = routeOf(line);
  const parse = (schema: z.ZodType | undefined, value: unknown) => schema?.parse(JSON.parse(JSON.stringify(value ?? {})));
  const input = {
    params: parse(route.params, sent.params),
    query: parse(route.query, sent.query),
    body: parse(route.body, sent.body),
  };
  const response = expectSuccess(
    await route.handle({
      ...input,
      principal: catalog.admin,
      ifMatch: undefined,
      call,
      draft: createNote(),
      id: idOf(sent.params),
      http: { request, response: new ServerResponse(request) },
    }),
  );
  if (typeof response === 'object' && response !== null && 'file' in response) return response;
  // strict: fields that are not in the schema fail the test
  return route.response === null ? response : z.strictObject({ response: strict(route.response) }).parse({ response });
}

const idOf = (params: unknown): string =>
  typeof params === 'object' && params !== null && 'id' in params ? String(params.id) : '';

function strict(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodObject ? schema.strict() : schema;
}

const resourceOf = async (line: string, sent: Parameters<typeof send>[1]): Promise<Record<string, unknown>> => {
  const { response } = z.object({ response: z.record(z.string(), z.unknown()) }).parse(await send(line, sent));
  return response;
};

describe('the routes of the catalog', () => {
  it('have schemas that convert to JSON Schema', () => {
    for (const { params, query, body, response } of routes) {
      for (const input of [params, query, body]) if (input) z.toJSONSchema(input, { io: 'input' });
      if (response) z.toJSONSchema(response);
    }
  });

  it('audit every change', () => {
    for (const { method, action } of routes) expect(action === undefined).toBe(method === 'GET');
  });

  it('create a query from three fields, and accept their own response as input', async () => {
    const body = { name: 'Wire', database: 'Sales', sql: 'select 1 as one' };
    const created = await resourceOf('POST /queries', { body });
    const params = { id: created.id };
    expect(await resourceOf('GET /queries/:id', { params })).toEqual(created);
    expect(await resourceOf('PUT /queries/:id', { params, body: created })).toEqual(created);
    expect(await resourceOf('PATCH /queries/:id', { params, body: created })).toEqual(created);
    const full = {
      ...body,
      sql: 'select @A as a',
      parameters: [{ name: '@A', dataType: 'int', required: true, default: '1', description: 'd', values: ['1'], masked: true }],
      columns: [{ name: 'a', displayName: 'A', type: 'numeric' }],
      roles: ['Auditor'],
      tags: ['x'],
      timeoutSeconds: 9,
      maxRows: 10,
      cacheSeconds: 0,
      aiAccess: false,
      description: 'd',
      tip: 't',
    };
    expect(await resourceOf('PUT /queries/:id', { params, body: full })).toMatchObject({ ...full, version: 2 });
    const nulls = Object.fromEntries(
      ['description', 'tip', 'parameters', 'columns', 'roles', 'tags', 'timeoutSeconds', 'maxRows', 'cacheSeconds'].map(
        (field) => [field, null],
      ),
    );
    expect(await resourceOf('PATCH /queries/:id', { params, body: nulls })).toMatchObject({
      description: '',
      tip: '',
      parameters: [],
      columns: [],
      roles: [],
      tags: [],
      timeoutSeconds: null,
      maxRows: null,
      cacheSeconds: null,
      aiAccess: false,
    });
    expect(await send('GET /queries/:id/versions', { params })).toMatchObject({ response: { items: [{ version: 3 }, {}, {}] } });
    expect(await send('GET /queries', { query: { search: 'wire', status: 'Draft', database: '' } })).toMatchObject({
      response: { items: [{ name: 'Wire' }] },
    });
  });

  it.each([
    ['name', ' '],
    ['sql', ' '],
    ['sql', `select '${'x'.repeat(100 << 10)}'`],
    ['timeoutSeconds', 301],
    ['maxRows', 0],
    ['cacheSeconds', -1],
    ['tags', ['x'.repeat(51)]],
    ['tip', 'a\0b'],
  ])('refuse a query with %s %j', async (field, value) => {
    const body = { name: 'Wire', database: 'Sales', sql: 'select 1', [field]: value };
    await expect(send('POST /queries', { body })).rejects.toThrow(z.ZodError);
  });

  it('accept preview values in both forms', async () => {
    const body = { database: 'Sales', sql: 'select @A as a', parameters: [{ name: '@A', dataType: 'int', required: true }] };
    for (const values of [{ '@A': 7 }, [{ parameterName: '@A', value: '7', dataType: 'bigint' }]]) {
      const response = await send('POST /queries/preview', { body: { ...body, values } });
      const { file } = z
        .object({ file: z.object({ contentType: z.string(), body: z.custom<AsyncIterable<string>>() }) })
        .parse(response);
      let text = '';
      for await (const part of file.body) text += part;
      expect(JSON.parse(text)).toEqual({ data: [{ a: 7 }], columns: [{ name: 'a', type: 'numeric' }] });
    }
  });

  it('create, change, show and test a database', async () => {
    const body = { name: 'Copy', kind: 'duckdb', connection: { file: 'sales.duckdb' } };
    const created = await resourceOf('POST /databases', { body });
    expect(created).toMatchObject({ settings: {}, description: '', disabled: false, writable: false, version: 1 });
    const params = { id: created.id };
    expect(await resourceOf('PUT /databases/:id', { params, body: created })).toEqual({ ...created, version: 2 });
    expect(await resourceOf('PATCH /databases/:id', { params, body: { description: 'x' } })).toMatchObject({ description: 'x' });
    expect(await resourceOf('PATCH /databases/:id', { params, body: { description: null } })).toMatchObject({ description: '' });
    expect(await resourceOf('POST /databases/:id/test', { params })).toMatchObject({ ok: true });
    expect(await resourceOf('POST /databases/test', { body: { ...body, id: created.id } })).toMatchObject({ ok: true });
    expect(await resourceOf('GET /databases/:id/schema', { params })).toMatchObject({ truncated: false });
    expect(await send('DELETE /databases/:id', { params })).toBeNull();
  });
});
