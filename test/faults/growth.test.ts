import { Agent, request } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MetadataStore } from '../../src/store/metadata-store.ts';
import { createDatabase, postgresProblem } from '../support/databases/postgres.ts';
import { percentile, reportFigure } from '../support/faults/figure.ts';
import { readOpenApi, resolveSchema } from '../support/http/openapi.ts';
import { createKey, createQueryUser, signIn } from '../support/people/accounts.ts';
import { type CatalogOwner, type CatalogSize, fillCatalog, nameAt, queryNameAt } from '../support/queries/fill-catalog.ts';
import { openStoreOf } from '../support/services/metadata-store.ts';
import { admin, expectStatus, startTestService, type TestService } from '../support/services/service.ts';

const CALLS = 5; // measured together, because the system counts processor time in ticks of some milliseconds
const ROUNDS = 3;
const MAX_MS = 50;
const MAX_GROWTH = 5;
const MIN_MS = 5; // shorter times are noise: a page of a few queries takes that long on a busy machine

const none: CatalogSize = { queries: 0, users: 0, keys: 0, embeds: 0, entries: 0 };
const small: CatalogSize = { queries: 100, users: 20, keys: 50, embeds: 100, entries: 100 };
const sizeOf = (queries: number): CatalogSize => ({
  queries,
  users: queries / 5,
  keys: queries / 2,
  embeds: queries,
  entries: queries,
});

/** A call of a list, by the operation of the OpenAPI document or the tool. */
interface Listing {
  readonly of: string;
  readonly path: string;
  readonly body?: unknown;
  readonly as: 'person' | 'reader' | 'model';
}

const management = (of: string, path = of.slice('GET '.length), as: Listing['as'] = 'person'): Listing => ({ of, path, as });
const tool = (name: string, sent: Record<string, unknown> = {}): Listing => ({
  of: name,
  path: '/mcp',
  body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: sent } },
  as: 'model',
});

const queries = (filter: string, as?: Listing['as']): Listing =>
  management('GET /api/v1/queries', `/api/v1/queries?${filter}`, as);

const listings: readonly Listing[] = [
  ...['', 'search=revenue', 'search=late%20deliveris%20by%20country', 'search=xylophone', 'search=argi', 'limit=200'].map(
    (each) => queries(each),
  ),
  queries('search=sales%20customers%20orders%20invoices%20revenue%20by%20month%20region%20team%20category%20country'),
  ...['tag=orders', 'status=Void', 'status=Active', 'database=Warehouse', 'favorite=true', 'recent=true'].map((each) =>
    queries(each),
  ),
  ...['name', 'database', 'owner', 'status', 'lastRun', 'lastUsed'].map((sort) => queries(`sort=-${sort}`)),
  queries('', 'reader'),
  queries('search=revenue', 'reader'),
  management('GET /api/v1/queries/{id}/versions', '/api/v1/queries/filled-1/versions'),
  management('GET /api/v1/home'),
  management('GET /api/v1/home', '/api/v1/home', 'reader'),
  management('GET /api/v1/users'),
  management('GET /api/v1/users', '/api/v1/users?search=person1&limit=10'),
  management('GET /api/v1/users/{id}/api-keys', '/api/v1/users/filled-1/api-keys'),
  management('GET /api/v1/roles'),
  management('GET /api/v1/databases'),
  management('GET /api/v1/embeds'),
  management('GET /api/v1/embeds', '/api/v1/embeds?search=chart&limit=10'),
  management('GET /api/v1/links'),
  management('GET /api/v1/account/api-keys'),
  management('GET /api/v1/account/api-keys', '/api/v1/account/api-keys?search=key&limit=10'),
  management('GET /api/v1/executions'),
  management('GET /api/v1/audit'),
  management('GET /openapi.json'),
  management('GET /api/v1/mcp/tools'),
  tool('list_queries'),
  tool('list_queries', { search: 'how much revenue did we make in each region?' }),
  tool('list_queries', { database: 'Warehouse', limit: 200 }),
  tool('list_databases'),
  tool('get_user_profile'),
  tool('execute_query', { queryName: 'QD_Sales_revenu_by_mnth_0_Warehouse' }),
  tool('execute_query', { queryName: queryNameAt(0).toUpperCase() }),
  { ...tool('tools/list'), body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
];

/** Operations with a list that does not come from the metadata store. */
const otherLists = new Set([
  'GET /api/v1/queries/{queryName}/choices',
  'GET /api/v1/databases/{id}/schema',
  'GET /api/v1/users/{id}/applications', // these two: at most 200 of a user
  'GET /api/v1/account/applications',
  'GET /api/v1/oauth/clients', // registered one by one by administrators
  'GET /api/v1/users/{id}/viewers', // the catalog of this test has no applications
]);

const stores = [
  { name: 'SQLite', short: 10_000, problem: null, url: async () => ({}) },
  {
    name: 'PostgreSQL',
    short: 2_000,
    problem: postgresProblem(),
    url: async () => ({ SLUICE_METADATA_URL: await createDatabase() }),
  },
];

describe.each(stores)('on $name', ({ name, short, problem, url }) => {
  const large = sizeOf(Number(process.env.TEST_CATALOG ?? short)); // the long form: 10,000 on both
  describe.skipIf(problem !== null)(problem ?? 'a large catalog', () => {
    let service: TestService;
    let store: MetadataStore;
    let owner: CatalogOwner;
    let headers: Record<Listing['as'], Record<string, string>>;
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });

    beforeAll(async () => {
      service = await startTestService({ SLUICE_DEMO: 'off', ...(await url()) });
      store = await openStoreOf(service);
      const caller = service.as(admin);
      const role = await expectStatus(
        caller.call<{ id: string }>('POST', '/api/v1/roles', { name: 'Many', permissions: [] }),
        201,
      );
      await store.databases.insert({
        ...{ id: 'warehouse', name: 'Warehouse', kind: 'duckdb', connection: { file: 'none.duckdb' }, sealedSecrets: null },
        ...{ settings: {}, description: '', disabled: false, writable: false, builtIn: false, version: 1, createdAt: 0 },
        deletedAt: null,
      });
      const account = await caller.call<{ id: string }>('GET', '/api/v1/account');
      owner = { userId: account.json.id, username: 'admin', databaseId: 'warehouse', roleId: role.json.id };
      const reader = await createQueryUser(service, 'reader');
      const model = await createQueryUser(service, 'model', { roles: ['Query User', 'Many'] });
      const { key } = await createKey(model.caller, { name: 'model' });
      headers = {
        person: { Cookie: await signIn(service, admin) },
        reader: { Cookie: await signIn(service, reader.credential) },
        model: { 'X-API-Key': key, Authorization: `Bearer ${key}` },
      };
    });
    afterAll(async () => {
      agent.destroy();
      await store.close();
      await service.close();
    });

    const send = ({ path, body, as }: Listing): Promise<string> =>
      new Promise((resolve, reject) => {
        const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
        const options = { agent, method: body === undefined ? 'GET' : 'POST', headers: { ...headers[as], ...type } };
        const sent = request(service.url + path, options, async (response) => {
          const text = (await response.toArray()).join('');
          if (response.statusCode === 200) resolve(text);
          else reject(new Error(`${path}: ${response.statusCode} ${text}`));
        });
        sent.on('error', reject);
        sent.end(body === undefined ? undefined : JSON.stringify(body));
      });

    /** Processor time of this thread, which runs the service and the small client. */
    async function measureCosts(): Promise<ReadonlyMap<Listing, number>> {
      const found = new Map<Listing, number>();
      for (const listing of listings) {
        await send(listing);
        const times: number[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          const cpu = await cpuOf(async () => {
            for (let call = 0; call < CALLS; call++) await send(listing);
          });
          times.push(cpu / CALLS);
        }
        found.set(listing, percentile(times, 0.5));
      }
      return found;
    }

    test('measures every list of the interface', async () => {
      const document = await readOpenApi(service.url);
      const lists = Object.entries(document.paths).flatMap(([path, { get }]) => {
        const schema = get?.responses['200']?.content?.['application/json']?.schema;
        const isList = schema !== undefined && resolveSchema(schema, document).properties?.items !== undefined;
        return isList && !otherLists.has(`GET ${path}`) ? [`GET ${path}`] : [];
      });
      expect(lists.length).toBeGreaterThan(8);
      expect(lists.filter((each) => !listings.some((listing) => listing.of === each))).toEqual([]);
    });

    test('costs every list little more processor time than a small one', { timeout: 600_000 }, async () => {
      await fillCatalog(store, owner, none, small);
      for (const listing of listings) for (let call = 0; call < CALLS; call++) await send(listing); // compiles
      const before = await measureCosts();
      await fillCatalog(store, owner, small, large);
      const holds = await measureTurns(() => send(queries('search=revenue')));
      reportFigure(
        35,
        `${name}, ${large.queries} queries: indexing holds the event loop for ${Math.max(...holds).toFixed()} ms at most`,
      );
      expect(Math.max(...holds)).toBeLessThan(4 * MAX_MS);

      const after = await measureCosts();
      const report = listings.map((listing) => {
        const [one, other] = [before.get(listing) ?? 0, after.get(listing) ?? 0];
        return { ...listing, one, other, growth: Math.max(other, MIN_MS) / Math.max(one, MIN_MS) };
      });
      if (process.env.TEST_FIGURES)
        for (const { path, as, body, one, other } of report)
          console.log(one.toFixed(1), other.toFixed(1), as, path, JSON.stringify(body) ?? '');
      const slowest = report.toSorted((a, b) => b.other - a.other)[0];
      reportFigure(
        35,
        `${name}: the slowest of ${report.length} lists takes ${slowest?.other.toFixed(1)} ms of the processor (${slowest?.path})`,
      );
      expect(report.filter(({ other, growth }) => other > MAX_MS || growth > MAX_GROWTH)).toEqual([]);
    });

    test('finds changes of another process, and shows them only to users with the permission', async () => {
      const found = async (search: string, as: Listing['as']) =>
        JSON.parse(await send(queries(`search=${search}`, as))).items.map(({ id }: { id: string }) => id);
      const [best] = await found('how%20much%20revenue%20did%20we%20make%20in%20each%20region', 'person');
      expect(nameAt(Number(best?.slice('filled-'.length)))).toMatch(/revenue by region/);
      const [late] = await found('late%20deliveris', 'person');
      expect(nameAt(Number(late?.slice('filled-'.length)))).toMatch(/late deliveries/);
      expect(await found('zeppelin', 'person')).toEqual([]);
      const [query] = await store.queries.getMany(['filled-7']);
      if (query === undefined) throw new Error('no query');
      const labels = { ...query.current.labels, description: `Zeppelin ${'x'.repeat(2000)}` };
      await store.queries.update({ ...query, current: { ...query.current, labels }, revision: query.revision + 1 });
      expect(await found('zepelin', 'person')).toEqual(['filled-7']);
      expect(await found('zeppelin', 'reader')).toEqual([]);
      expect((await found(encodeURIComponent(nameAt(42)), 'person'))[0]).toBe('filled-42');
    });

    test('keeps the event loop free for other calls during searches', async () => {
      const searches = listings.filter(({ path, body }) => /search/.test(path + JSON.stringify(body))).slice(0, 5);
      await Promise.all(searches.map(send));
      const holds = await measureTurns(() => Promise.all(searches.map(send)));
      expect(Math.max(...holds)).toBeLessThan(4 * MAX_MS);
    });
  });
});

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** The processor time of every turn of the event loop during the work. */
async function measureTurns(work: () => Promise<unknown>): Promise<readonly number[]> {
  let isRunning = true;
  const working = work().finally(() => {
    isRunning = false;
  });
  working.catch(() => undefined); // thrown below
  const times: number[] = [];
  while (isRunning) times.push(await cpuOf(() => nextTurn()));
  await working;
  return times;
}
