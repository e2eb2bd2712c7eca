import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey, createQueryUser, createUser, signIn } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

interface Content {
  readonly content: { readonly 'application/json': { readonly schema: Schema } };
}

interface Document {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly post: {
          readonly operationId: string;
          readonly summary: string;
          readonly tags: readonly string[];
          readonly requestBody: Content & { readonly required: boolean };
          readonly responses: { readonly 200: Content; readonly default: unknown };
        };
      }
    >
  >;
}

const PATH = '/api/v1/openapi.json';
let service: TestService;
let root: Caller;
beforeAll(async () => {
  service = await startTestService();
  root = service.as(admin);
});
afterAll(() => service.close());

const read = async (caller: Caller): Promise<Document> => (await expectStatus(caller.call<Document>('GET', PATH), 200)).json;
const namesIn = ({ paths }: Document): readonly string[] => Object.values(paths).map(({ post }) => post.operationId);

function partsOf(document: Document, queryName: string) {
  const operation = document.paths[`/api/query/execute/${queryName}`]?.post;
  const schemas = [operation?.requestBody, operation?.responses[200]].map(
    (each) => each?.content['application/json'].schema.allOf?.[1]?.properties ?? {},
  );
  return { operation, parameters: schemas[0]?.parameters, row: schemas[1]?.data?.items };
}

test('has one operation per Active query of the demo catalog, at the address of the service', async () => {
  const document = await read(root);
  expect(document.openapi).toBe('3.1.0');
  expect(document.servers).toEqual([{ url: service.url }]);
  const { json } = await root.call<{ items: { queryName: string }[] }>('GET', '/api/v1/queries?status=Active&limit=200');
  expect(namesIn(document).toSorted()).toEqual(json.items.map(({ queryName }) => queryName).toSorted());
  expect(Object.keys(document.components.schemas)).toEqual(['Paging', 'Position', 'Problem']);
});

test('describes parameters and rows by their types', async () => {
  const { queryName } = await publish(root, {
    name: 'Typed',
    description: 'All types.',
    sql: `select 1::integer as a, 2::bigint as b, 3.5::decimal(12,2) as c, 4.5::decimal(38,2) as d, 5.5::double as e, true as f,
            date '2026-01-31' as g, 'x' as h, [1] as i
          where @Region is not null and @Kind is not null and @Large is null and @List in (@Ids) and @Flag is null and @Most > 0`.replace(
      '@List',
      '1',
    ),
    parameters: [
      { name: '@Region', dataType: 'nvarchar(50)', required: true, values: ['North', 'South'], description: 'Sales region.' },
      { name: '@Kind', dataType: 'int', required: true, default: '2', values: ['1', '2'] },
      { name: '@Large', dataType: 'bigint' },
      { name: '@Ids', dataType: 'int', multiple: true, default: ['1', '2'] },
      { name: '@Flag', dataType: 'bit' },
      { name: '@Most', dataType: 'bigint', default: '9007199254740993', values: ['9007199254740993', '1'] },
    ],
    columns: [{ name: 'h', displayName: 'Text of it' }],
  });
  const { operation, parameters, row } = partsOf(await read(root), queryName);
  expect(operation).toMatchObject({ operationId: 'QD_Typed_Demo', summary: 'Typed', tags: ['Demo'] });
  expect(operation?.requestBody.required).toBe(true);
  expect(parameters).toEqual({
    type: 'object',
    additionalProperties: false,
    required: ['Region'],
    properties: {
      Region: { type: 'string', description: 'Sales region. SQL type nvarchar(50).', enum: ['North', 'South'] },
      Kind: { type: 'integer', description: 'SQL type int.', enum: [1, 2], default: 2 },
      Large: { type: ['integer', 'string', 'null'], description: 'SQL type bigint.' },
      Ids: { type: ['array', 'null'], description: 'SQL type int.', items: { type: 'integer' }, default: [1, 2] },
      Flag: { type: ['boolean', 'null'], description: 'SQL type bit.' },
      Most: {
        type: ['integer', 'string', 'null'],
        description: 'SQL type bigint.',
        enum: ['9007199254740993', 1, null],
        default: '9007199254740993',
      },
    },
  });
  expect(row?.properties).toEqual({
    a: { type: ['number', 'null'] },
    b: { type: ['number', 'string', 'null'] },
    c: { type: ['number', 'null'] },
    d: { type: ['number', 'string', 'null'] },
    e: { type: ['number', 'null'] },
    f: { type: ['boolean', 'null'] },
    g: { type: ['string', 'null'], format: 'date' },
    'Text of it': { type: ['string', 'null'] },
    i: {},
  });
  expect(row?.required).toEqual(Object.keys(row?.properties ?? {}));
  const sent = { parameters: { Region: 'North', Kind: 1, Large: null, Ids: [1], Flag: null } };
  const page = await expectStatus(root.call<{ data: object[] }>('POST', `/api/query/execute/${queryName}`, sent), 200);
  expect(Object.keys(page.json.data[0] ?? {})).toEqual(Object.keys(row?.properties ?? {}));
});

test('has nothing that the caller may not run, and no parameter that is bound to the caller', async () => {
  const { queryName } = await publish(root, {
    name: 'Bound',
    sql: 'select @Me as me, @Free as free',
    parameters: [
      { name: '@Me', dataType: 'nvarchar(50)', boundTo: 'user.name' },
      { name: '@Free', dataType: 'nvarchar(50)' },
    ],
  });
  await publish(root, { name: 'Only for authors', sql: 'select 1 as n', roles: ['Query Author'] });
  const reader = await createQueryUser(service, 'document-reader');
  const document = await read(reader.caller);
  expect(namesIn(document)).not.toContain('QD_Only_for_authors_Demo');
  expect(Object.keys(partsOf(document, queryName).parameters?.properties ?? {})).toEqual(['Free']);

  const { key } = await createKey(reader.caller, { queries: [queryName] });
  expect(namesIn(await read(service.as({ key })))).toEqual([queryName]);
  expect(namesIn(await read(service.as({ cookie: await signIn(service, reader) })))).toEqual(namesIn(document));
  expect(namesIn(await read((await createUser(service, 'document-nobody')).caller))).toEqual([]);
  await expectStatus(service.as().call('GET', PATH), 401);
});

test('responds 304 until a query, a right or the address changes', async () => {
  const reader = await createQueryUser(service, 'document-cached');
  const tagOf = async (caller: Caller): Promise<string> =>
    (await expectStatus(caller.call('GET', PATH), 200)).headers.get('etag') ?? '';
  const tag = await tagOf(reader.caller);
  const again = await expectStatus(reader.caller.call('GET', PATH, undefined, { 'If-None-Match': tag }), 304);
  expect(again.text).toBe('');
  const { id } = await publish(root, { name: 'New to the document', sql: 'select 1 as n' });
  const changed = await expectStatus(reader.caller.call('GET', PATH, undefined, { 'If-None-Match': tag }), 200);
  expect(changed.text).toContain('QD_New_to_the_document_Demo');
  expect(await tagOf(root)).toBe(changed.headers.get('etag'));
  await expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, { description: 'Another one' }), 200);
  expect(await tagOf(reader.caller)).not.toBe(changed.headers.get('etag'));
  await expectStatus(root.call('POST', `/api/v1/queries/${id}/deactivate`), 200);
  expect((await expectStatus(reader.caller.call('GET', PATH), 200)).text).not.toContain('QD_New_to_the_document_Demo');
});

test('refuses query parameters, and responds to HEAD without the document', async () => {
  await expectStatus(root.call('GET', `${PATH}?queryName=QD_Customers_Demo`), 400);
  const head = await expectStatus(root.call('HEAD', PATH), 200);
  expect(head.headers.get('etag')).toMatch(/^W\//);
  expect(head.text).toBe('');
});
