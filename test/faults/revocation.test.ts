import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, postgresProblem } from '../support/databases/postgres.ts';
import { reportFigure } from '../support/faults/figure.ts';
import { mcpOf } from '../support/http/mcp.ts';
import { createKey, createQueryUser, signIn } from '../support/people/accounts.ts';
import { connect, createRegistered, send } from '../support/people/oauth.ts';
import { embedOf, publishChartQuery, view } from '../support/queries/embeds.ts';
import { publish } from '../support/queries/publish.ts';
import { onPostgres, storeName } from '../support/services/metadata-store.ts';
import { createWorkspace, type Workspace, type ServiceProcess } from '../support/services/process.ts';
import { type Caller, admin, expectStatus, type List } from '../support/services/service.ts';

// the long form: TEST_ROUNDS=20 and TEST_METADATA=sqlite, then TEST_METADATA=postgres
const ROUNDS = Number(process.env.TEST_ROUNDS ?? 1);
const CLIENTS = 6;
const EARLY = 12;
const LATE = 18;
const proxy = { SLUICE_TRUSTED_PROXIES: '127.0.0.1' };
const store = process.env.TEST_METADATA === undefined || onPostgres ? 'PostgreSQL' : storeName;

/** Two replicas on one PostgreSQL, or two workers on one SQLite. */
describe.skipIf(store === 'PostgreSQL' && postgresProblem() !== null)(`two processes on one ${store}`, () => {
  let workspace: Workspace;
  let services: readonly ServiceProcess[];
  let root: Caller;
  let queryName: string;
  let queryId: string;
  let chart: string;
  beforeAll(async () => {
    workspace = await createWorkspace();
    if (store === 'PostgreSQL') {
      const environment = { ...proxy, SLUICE_METADATA_URL: await createDatabase() };
      services = await Promise.all([workspace.start(environment), workspace.start(environment)]);
    } else {
      services = [await workspace.start({ ...proxy, SLUICE_WORKERS: '2' })];
    }
    root = replica(0).as(admin);
    ({ queryName, id: queryId } = await publish(root, { name: 'One', sql: 'select 1 as n' }));
    chart = (await publishChartQuery(root, 'Chart')).queryName;
  });
  afterAll(() => workspace?.remove());

  const replica = (index: number): ServiceProcess => {
    const found = services[index % services.length];
    if (found === undefined) throw new Error('no replica');
    return found;
  };
  const patched = (id: string, body: unknown) => expectStatus(root.call('PATCH', `/api/v1/users/${id}`, body), 200);

  interface Case {
    /** The status of one call to a replica. */
    call(at: ServiceProcess): Promise<number>;
    change(): Promise<unknown>;
  }
  // a new connection for each call, so that both workers are used
  const close = { Connection: 'close' };
  let people = 0;
  async function keyed() {
    const { id, credential } = await createQueryUser(replica(0), `person ${people++}`);
    const own = replica(0).as(credential);
    const key = await createKey(own, { name: 'load' });
    const call = async (at: ServiceProcess) => (await at.as({ key: key.key }).run(queryName, [], close)).status;
    return { id, credential, own, key, call };
  }

  const cases: Record<string, () => Promise<Case>> = {
    'a key that is revoked': async () => {
      const { own, key, call } = await keyed();
      return { call, change: () => expectStatus(own.call('DELETE', `/api/v1/account/api-keys/${key.id}`), 204) };
    },
    'the access of an AI application that is ended': async () => {
      const { own, credential } = await keyed();
      const { access_token: token } = await connect(replica(0), await createRegistered(replica(0)), { user: credential });
      const call = async (at: ServiceProcess) => (await send(at, token, 'ping', {}, close)).status;
      const [grant] = (await own.call<List<{ id: string }>>('GET', '/api/v1/account/applications')).json.items;
      return { call, change: () => expectStatus(own.call('DELETE', `/api/v1/account/applications/${grant?.id}`), 204) };
    },
    'a user who is disabled': async () => {
      const { id, call } = await keyed();
      return { call, change: () => patched(id, { disabled: true }) };
    },
    'a scope without the database': async () => {
      const { id, call } = await keyed();
      return { call, change: () => patched(id, { databases: [] }) };
    },
    'roles that may not run queries': async () => {
      const { id, call } = await keyed();
      return { call, change: () => patched(id, { roles: ['Auditor'] }) };
    },
    'revoked roles, by MCP': async () => {
      const { id, key } = await keyed();
      const call = async (at: ServiceProcess) => {
        const { json } = await mcpOf(at, key.key).call('execute_query', { queryName }, close);
        return json.error?.data.httpStatus ?? 200;
      };
      return { call, change: () => patched(id, { roles: [] }) };
    },
    'a password that was changed, by Basic': async () => {
      const { id, credential } = await keyed();
      // from a separate address: repeated old passwords count as guesses, and fifty block an address
      const headers = { ...close, 'X-Forwarded-For': `10.0.0.${people}` };
      const call = async (at: ServiceProcess) => (await at.as(credential).run(queryName, [], headers)).status;
      return { call, change: () => patched(id, { password: 'another one of some length' }) };
    },
    'a password that was changed, by session': async () => {
      const { id, credential } = await keyed();
      const session = { cookie: await signIn(replica(1), credential) };
      const call = async (at: ServiceProcess) => (await at.as(session).call('GET', '/api/v1/account', undefined, close)).status;
      return { call, change: () => patched(id, { password: 'another one of some length' }) };
    },
    'a query that is no longer Active': async () => {
      const { call } = await keyed();
      await root.call('POST', `/api/v1/queries/${queryId}/activate`); // after the previous round
      return { call, change: () => expectStatus(root.call('POST', `/api/v1/queries/${queryId}/deactivate`), 200) };
    },
    'an embed that is regenerated': async () => {
      const link = await embedOf(root, { queryName: chart });
      const call = async (at: ServiceProcess) => (await view(at.as(), link.Token)).status;
      return { call, change: () => expectStatus(root.call('POST', `/api/v1/embeds/${link.Id}/regenerate`), 200) };
    },
  };

  test.each(Object.entries(cases))(
    '%s takes effect with the response, under load',
    { timeout: 60_000 + ROUNDS * 20_000 },
    async (name, prepare) => {
      let [before, after, late] = [0, 0, 0];
      for (let round = 0; round < ROUNDS; round++) {
        const { early, later } = await underLoad(await prepare());
        expect(early).toContain(200);
        expect(later.filter((status) => status === 200)).toEqual([]);
        expect(later.filter((status) => status >= 500)).toEqual([]);
        [before, after, late] = [
          before + early.length,
          after + later.length,
          late + later.filter((status) => status === 200).length,
        ];
      }
      reportFigure(
        9,
        `${store}, ${name}: ${ROUNDS} rounds, ${before} calls before, ${after} calls after the response, ${late} of them accepted`,
      );
    },
  );

  test('a key that is revoked at one process is refused by the other, under 64 connections', { timeout: 120_000 }, async () => {
    const { queryName: active } = await publish(root, { name: 'Active', sql: 'select 1 as n' });
    for (let round = 0; round < 3 * ROUNDS; round++) {
      const { own, key } = await keyed();
      const call = async () => (await replica(1).as({ key: key.key }).run(active)).status;
      const change = () => expectStatus(own.call('DELETE', `/api/v1/account/api-keys/${key.id}`), 204);
      const { early, later } = await underLoad({ call, change }, { clients: 64, late: 640 });
      expect(early).toContain(200);
      expect(new Set(later)).toEqual(new Set([401]));
    }
  });

  async function underLoad(
    { call, change }: Case,
    { clients: count, late } = { clients: CLIENTS, late: LATE },
  ): Promise<{ early: number[]; later: number[] }> {
    let changedAt = Number.POSITIVE_INFINITY;
    const [early, later]: [number[], number[]] = [[], []];
    const giveUpAt = performance.now() + 60_000;
    const client = async (index: number): Promise<void> => {
      for (let turn = index; later.length < late && performance.now() < giveUpAt; turn++) {
        const startedAt = performance.now();
        const status = await call(replica(turn));
        (startedAt > changedAt ? later : early).push(status);
      }
    };
    const clients = Array.from({ length: count }, (_, index) => client(index));
    while (early.length < EARLY && performance.now() < giveUpAt) await new Promise(setImmediate);
    await change();
    changedAt = performance.now();
    await Promise.all(clients);
    return { early, later };
  }
});
