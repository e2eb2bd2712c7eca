import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRandom, type Random } from '../../support/faults/random.ts';
import { mcpOf } from '../../support/http/mcp.ts';
import { createKey } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { type ApiResponse, admin, type Caller, startTestService, type TestService } from '../../support/services/service.ts';

/** No accepted request has a field that did not matter: misspelling or changing any of them changes the response or is refused. */

let service: TestService;
let root: Caller;
let key: string;
const NAME = 'QD_Rows_Demo';
const OTHER = 'QD_Other_rows_Demo';
const parameters = [
  { name: '@Region', dataType: 'nvarchar(20)', required: true },
  { name: '@Amount', dataType: 'decimal(12,2)', required: false, default: '1' },
  { name: '@Paid', dataType: 'bit', required: false },
];
let written: string; // the id of a query that is written

beforeAll(async () => {
  service = await startTestService({ SLUICE_ROWS_DEFAULT: '9', SLUICE_ROWS_MAX: '20' });
  root = service.as(admin);
  ({ key } = await createKey(root));
  const sql = 'select i as n, @Region as r, @Amount as a, @Paid as p from range(30) t(i) order by i';
  await publish(root, { name: 'Rows', sql, parameters });
  await publish(root, { name: 'Other rows', sql: sql.replace('i as n', 'i as m'), parameters });
  ({ id: written } = (
    await root.call<{ id: string }>('POST', '/api/v1/queries', { name: 'W', database: 'Demo', sql: 'select 1' })
  ).json);
});
afterAll(() => service.close());

type Fields = Readonly<Record<string, unknown>>;
interface Sent {
  readonly body: Fields;
  readonly query: Fields;
  readonly headers: Fields;
}

/** A field of a request with another value that is valid, too. */
interface Given {
  readonly place: keyof Sent;
  readonly name: string;
  readonly value: unknown;
  readonly other: unknown;
}

interface Door {
  readonly name: string;
  given(random: Random): readonly Given[];
  send(sent: Sent): Promise<{ readonly status: number; readonly text: string; readonly refused: boolean }>;
}

const values = (random: Random) => {
  const region = random.pick(['North', 'South', '', 'ä"\\']);
  const amount = random.pick([5, '7.25', 0]);
  const some = {
    '@Region': region,
    ...(random.maybe(0.5) ? { '@Amount': amount } : {}),
    ...(random.maybe(0.3) ? { '@Paid': 1 } : {}),
  };
  return random.maybe(0.5) ? some : withoutAt(some);
};
const withoutAt = (some: Fields): Fields =>
  Object.fromEntries(Object.entries(some).map(([name, value]) => [name.slice(1), value]));
const asList = (some: Fields, names: readonly [string, string]) =>
  Object.entries(some).map(([name, value]) => ({ [names[0]]: name, [names[1]]: value }));

/** Both shapes; the other value changes one of the parameters. */
function parametersField(random: Random, name: string, place: keyof Sent = 'body', text = false): Given {
  const some: Fields = values(random);
  const changed = random.pick(Object.keys(some));
  const other = { ...some, [changed]: /paid/i.test(changed) ? 0 : /amount/i.test(changed) ? 123 : 'elsewhere' };
  const listed = random.maybe(0.5);
  const names = random.pick([
    ['ParameterName', 'Value'],
    ['parameterName', 'value'],
  ] as const);
  const shaped = (each: Fields) => (listed ? asList(each, names) : each);
  const written = (each: Fields) => (text ? JSON.stringify(shaped(each)) : shaped(each));
  return { place, name, value: written(some), other: written(other) };
}

const spelled = (random: Random, name: string) => random.pick([name, name.toLowerCase(), name.toUpperCase()]);
const paging = (random: Random, [index, size]: readonly [string, string]): readonly Given[] => {
  const place = (): keyof Sent => random.pick(['body', 'query', 'headers'] as const);
  return [
    ...(random.maybe(0.6) ? [{ place: place(), name: index, value: random.below(9), other: 10 + random.below(9) }] : []),
    ...(random.maybe(0.6) ? [{ place: place(), name: size, value: 1 + random.below(9), other: 10 + random.below(9) }] : []),
  ];
};

const isRefused = ({ status }: { status: number }) => status >= 400 && status < 500;
const answered = (response: ApiResponse<unknown>) => ({
  status: response.status,
  text: isRefused(response) ? response.text : response.text.replace(/"(q|Q)ueryMoreCode":"[^"]*"/, '"more":true'),
  refused: isRefused(response),
});
const searchOf = (query: Fields) => {
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return search === '' ? '' : `?${search}`;
};
const headersOf = (headers: Fields) => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
const post = (path: string) => async (sent: Sent) =>
  answered(await service.as({ key }).call('POST', path + searchOf(sent.query), sent.body, headersOf(sent.headers)));

const named = (random: Random, name: string): Given => ({
  place: 'body',
  name: spelled(random, name),
  value: NAME,
  other: OTHER,
});

const doors: readonly Door[] = [
  ...['/api/v1/JsonBuilder/ExecuteQuery', '/api/v1/ChartBuilder/ExecuteQuery'].map((path) => ({
    name: path,
    given: (random: Random) => [
      named(random, 'QueryName'),
      parametersField(random, spelled(random, 'Parameters')),
      ...paging(random, ['RowIndex', 'RowSize']),
    ],
    send: post(path),
  })),
  {
    name: 'the second form',
    given: (random) => [parametersField(random, spelled(random, 'parameters')), ...paging(random, ['rowIndex', 'rowSize'])],
    send: post(`/api/query/execute/${NAME}`),
  },
  {
    name: 'an export',
    given: (random) => [
      named(random, 'QueryName'),
      parametersField(random, 'Parameters'),
      { place: random.pick(['query', 'body']), name: spelled(random, 'format'), value: 'csv', other: 'JSON' },
    ],
    send: post('/api/v1/Export/ExecuteQuery'),
  },
  {
    name: 'GetEmbedUrl',
    given: (random) => {
      const place = random.pick(['query', 'body'] as const);
      const option = (name: string, value: unknown, other: unknown): readonly Given[] =>
        random.maybe(0.4) ? [{ place, name: spelled(random, name), value, other }] : [];
      return [
        { place, name: 'queryName', value: NAME, other: OTHER },
        { place, name: 'chartType', value: 'Bar Chart', other: 'LINE' },
        { place, name: 'labelColumn', value: 'r', other: 'N' },
        { place, name: 'dataColumn', value: 'a', other: 'p' },
        parametersField(random, 'parameters', place, place === 'query'),
        ...option('title', 'A title', 'Another'),
        ...option('chartHeight', 300, '301'),
        ...option('showGrid', 1, 'FALSE'),
        ...option('legendPosition', 'Top', 'left'),
        ...option('expirationDays', 3, 'never'),
      ];
    },
    async send(sent) {
      const issued = await post('/api/v1/EmbeddedChart/GetEmbedUrl')(sent);
      if (issued.refused) return issued;
      const { Id } = JSON.parse(issued.text);
      const { items } = (await root.call<{ items: Record<string, unknown>[] }>('GET', '/api/v1/embeds?limit=1')).json;
      const { queryName, chart, parameters: shown, expirationDays } = items.find(({ id }) => id === Id) ?? {};
      await root.call('DELETE', `/api/v1/embeds/${Id}`);
      return { ...issued, text: JSON.stringify([queryName, chart, shown, expirationDays]) };
    },
  },
  ...(['execute_query', 'execute_chart_query', 'start_stream'] as const).map((tool) => ({
    name: `the tool ${tool}`,
    given: (random: Random): readonly Given[] => [
      { ...named(random, 'queryName'), name: random.pick(['queryName', 'query_name', 'QUERYID', 'query-id']) },
      parametersField(random, random.pick(['parameters', 'PARAMETERS']), 'body', random.maybe(0.3)),
      ...(random.maybe(0.6)
        ? [{ place: 'body' as const, name: tool === 'start_stream' ? 'chunk_size' : 'row-size', value: 3, other: '4' }]
        : []),
      ...(tool === 'execute_query' && random.maybe(0.6)
        ? [{ place: 'body' as const, name: 'rowIndex', value: 3, other: 4 }]
        : []),
    ],
    async send({ body }: Sent) {
      const { json, status } = await mcpOf(service, key).call(tool, body);
      const refused = json.error?.code === -32602;
      const content = { ...(json.result?.structuredContent as object), QueryMoreCode: null, streamToken: null };
      return { status, refused, text: refused ? (json.error?.message ?? '') : JSON.stringify(content) };
    },
  })),
  {
    name: 'the tool list_queries',
    given: (random) => [
      { place: 'body', name: spelled(random, 'search'), value: 'sales', other: 'sellers' },
      { place: 'body', name: 'database', value: 'demo', other: 'Nowhere' },
      { place: 'body', name: 'limit', value: 1, other: '2' },
    ],
    async send({ body }) {
      const { json, status } = await mcpOf(service, key).call('list_queries', body);
      const text =
        json.error?.message ?? JSON.stringify((json.result?.structuredContent as { queries?: unknown } | undefined)?.queries);
      return { status, refused: json.error?.code === -32602, text };
    },
  },
  {
    name: 'PUT /queries/:id',
    given: (random) => [
      { place: 'body', name: spelled(random, 'name'), value: 'W', other: 'W2' },
      { place: 'body', name: spelled(random, 'database'), value: 'Demo', other: 'Nowhere' },
      { place: 'body', name: 'sql', value: 'select 1', other: 'select 2' },
      { place: 'body', name: 'description', value: 'a', other: 'b' },
      { place: 'body', name: 'tags', value: ['a'], other: ['b'] },
      { place: 'body', name: spelled(random, 'timeoutSeconds'), value: 5, other: 6 },
      { place: 'body', name: 'maxRows', value: 5, other: 6 },
      { place: 'body', name: 'aiAccess', value: true, other: false },
      { place: 'body', name: 'parameters', value: [{ Name: '@A', dataType: 'int' }], other: [{ name: '@A', datatype: 'bit' }] },
    ],
    async send({ body }) {
      const { status, text, refused } = answered(await root.call('PUT', `/api/v1/queries/${written}`, body));
      return { status, refused, text: text.replace(/"(version|updatedAt)":[^,]*/g, '') };
    },
  },
  {
    name: 'GET /audit',
    given: (random) => [
      { place: 'query', name: spelled(random, 'limit'), value: 1, other: 2 },
      { place: 'query', name: spelled(random, 'search'), value: 'query.create', other: 'no such thing' },
    ],
    send: async ({ query }) => answered(await root.call('GET', `/api/v1/audit${searchOf(query)}`)),
  },
];

const ROUNDS = 12;

describe.each(doors)('$name', (door) => {
  test('refuses any misspelled field, and responds differently to any changed one', { timeout: 120_000 }, async () => {
    const seed = Number(process.env.SEED ?? 20_261_116);
    const random = createRandom(seed);
    let accepted = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const given = door.given(random);
      const plain = await door.send(sentOf(given));
      expect(plain, `seed ${seed}, round ${round}: ${JSON.stringify(given)}`).toMatchObject({ refused: false });
      accepted++;
      for (const [index, field] of given.entries()) {
        const changed = await door.send(sentOf(given.with(index, { ...field, value: field.other })));
        expect([changed.refused, changed.text], `seed ${seed}: ${field.name} changed`).not.toEqual([false, plain.text]);
        if (field.place === 'headers') continue; // other headers belong to HTTP
        const name = misspelled(random, field.name);
        const refusal = await door.send(sentOf(given.with(index, { ...field, name })));
        expect(refusal, `seed ${seed}: ${name} for ${field.name}`).toMatchObject({
          refused: true,
          text: expect.stringContaining(name),
        });
      }
      for (const sent of deeplyMisspelled(random, given)) {
        const refusal = await door.send(sent);
        expect(refusal, `seed ${seed}: ${JSON.stringify(sent)}`).toMatchObject({ refused: true });
      }
    }
    expect(accepted).toBe(ROUNDS);
  });
});

function sentOf(given: readonly Given[]): Sent {
  const at = (place: keyof Sent) =>
    Object.fromEntries(given.filter((each) => each.place === place).map(({ name, value }) => [name, value]));
  return { body: at('body'), query: at('query'), headers: at('headers') };
}

/** A name that differs in more than case, `_` and `-`. */
function misspelled(random: Random, name: string): string {
  const at = 1 + random.below(name.length - 1);
  return random.pick([
    () => name.slice(0, at) + name.slice(at + 1) + 'x',
    () => `${name.slice(0, at)}${name[at - 1]}x${name.slice(at)}`,
    () => `${name}s`,
    () => `x${name}`,
  ])();
}

/** Each name within the parameters, misspelled. */
function* deeplyMisspelled(random: Random, given: readonly Given[]): Generator<Sent> {
  for (const [index, field] of given.entries()) {
    const isText = typeof field.value === 'string' && /^[[{]/.test(field.value);
    const value: unknown = isText ? JSON.parse(String(field.value)) : field.value;
    if (typeof value !== 'object' || value === null) continue;
    for (const changed of renamed(random, value))
      yield sentOf(given.with(index, { ...field, value: isText ? JSON.stringify(changed) : changed }));
  }
}

function* renamed(random: Random, value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) for (const changed of renamed(random, each)) yield value.with(index, changed);
  } else if (typeof value === 'object' && value !== null) {
    for (const key of Object.keys(value)) {
      const name = misspelled(random, key);
      yield Object.fromEntries(Object.entries(value).map(([each, inner]) => [each === key ? name : each, inner]));
    }
  }
}
