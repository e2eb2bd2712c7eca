import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, execute, postgresProblem } from '../../support/databases/postgres.ts';
import { reportFigure } from '../../support/faults/figure.ts';
import { problemOf } from '../../support/http/problem.ts';
import { type ApiKey, createKey, createUser, signIn } from '../../support/people/accounts.ts';
import { type Caller, type List, type TestService, admin, startTestService } from '../../support/services/service.ts';

const HOUR = 3_600_000;
const RACES = Number(process.env.TEST_RACES ?? 5); // the long form: 20

/** What the metadata store guarantees, tested over HTTP on both stores; `execute` lets time pass by changing stored timestamps. */
const stores: readonly Store[] = [
  {
    name: 'SQLite',
    problem: null,
    start: async () => {
      const service = await startTestService({ SLUICE_DEMO: 'off' });
      return {
        service,
        execute: async (statement) => {
          const database = new DatabaseSync(join(service.folder, 'metadata.sqlite'));
          database.exec('pragma busy_timeout = 5000');
          const rows = database.prepare(statement).all();
          database.close();
          return rows;
        },
      };
    },
  },
  {
    name: 'PostgreSQL',
    problem: postgresProblem(),
    start: async () => {
      const url = await createDatabase();
      const service = await startTestService({ SLUICE_DEMO: 'off', SLUICE_METADATA_URL: url });
      return { service, execute: (statement) => execute(url, statement) };
    },
  },
];

interface Store {
  readonly name: string;
  readonly problem: string | null;
  readonly start: () => Promise<Started>;
}
interface Started {
  readonly service: TestService;
  readonly execute: (statement: string) => Promise<readonly unknown[]>;
}

describe.each(stores)('on $name', ({ name: storeName, problem, start }) => {
  describe.skipIf(problem !== null)(problem ?? 'keys and sessions', () => {
    let started: Started;
    let service: TestService;
    beforeAll(async () => {
      started = await start();
      service = started.service;
    });
    afterAll(() => service?.close());

    const create = (caller: Caller, name: string) => caller.call('POST', '/api/v1/account/api-keys', { name });
    const listed = async (caller: Caller) => (await caller.call<List<ApiKey>>('GET', '/api/v1/account/api-keys')).json.items;

    test('twenty parallel creations make exactly five keys in every round', async () => {
      const { caller } = await createUser(service, 'racer');
      await caller.call('GET', '/api/v1/account');
      for (let round = 0; round < RACES; round++) {
        const responses = await Promise.all(Array.from({ length: 20 }, (_, i) => create(caller, `race ${round}.${i}`)));
        const statuses = responses.map((response) => response.status);
        expect(statuses.filter((status) => status === 201)).toHaveLength(5);
        expect(statuses.filter((status) => status === 409)).toHaveLength(15);
        const active = (await listed(caller)).filter(({ state }) => state === 'active');
        expect(active).toHaveLength(5);
        const revoked = active.map(({ id }) => caller.call('DELETE', `/api/v1/account/api-keys/${id}`));
        expect((await Promise.all(revoked)).map((response) => response.status)).toEqual([204, 204, 204, 204, 204]);
      }
      reportFigure(10, `${storeName}: ${RACES} races of 20 creations, five keys each time`);
    });

    test('an expired key is refused as expired, stays listed, and frees its slot', async () => {
      const { caller } = await createUser(service, 'late');
      const keys = await Promise.all(Array.from({ length: 5 }, (_, i) => createKey(caller, { name: `key ${i}` })));
      expect((await create(caller, 'sixth')).status).toBe(409);
      await started.execute(`update api_keys set expires_at = ${Date.now() - 1} where id = '${keys[0]?.id}'`);
      const refused = await service.as({ key: keys[0]?.key ?? '' }).call('GET', '/api/v1/account');
      expect([refused.status, problemOf(refused).code]).toEqual([401, 'credential_expired']);
      expect((await listed(caller)).find(({ id }) => id === keys[0]?.id)?.state).toBe('expired');
      expect((await create(caller, 'sixth')).status).toBe(201);
      expect((await create(caller, 'seventh')).status).toBe(409);
      expect(await listed(caller)).toHaveLength(6);
    });

    test('a session ends after 8 idle hours and after 24 hours in all; use extends it', async () => {
      const person = await createUser(service, 'sleeper');
      const later = (hours: number, column: string) =>
        started.execute(`update sessions set ${column} = ${column} - ${hours * HOUR} where user_id = '${person.id}'`);
      const whoAmI = async (cookie: string) => (await service.as({ cookie }).call('GET', '/api/v1/session')).status;

      const used = await signIn(service, person);
      for (let i = 0; i < 2; i++) {
        await later(7.9, 'last_used_at');
        expect(await whoAmI(used), 'the use moves the end').toBe(200);
      }
      await later(8.1, 'last_used_at');
      const refused = await service.as({ cookie: used }).call('GET', '/api/v1/session');
      expect([refused.status, problemOf(refused).code]).toEqual([401, 'credential_expired']);

      const long = await signIn(service, person);
      await later(23.9, 'created_at');
      expect(await whoAmI(long)).toBe(200);
      await later(0.2, 'created_at');
      expect(await whoAmI(long)).toBe(401);
    });

    test('stores neither cookies, keys nor passwords in plain text', async () => {
      const person = await createUser(service, 'secretive');
      const cookie = await signIn(service, person);
      const { key } = await createKey(person.caller);
      const secrets = [cookie.split('=')[1] ?? '', key, person.password];
      for (const table of ['sessions', 'api_keys', 'users', 'audit']) {
        const text = JSON.stringify(await started.execute(`select * from ${table}`));
        for (const secret of secrets) expect(text.includes(secret)).toBe(false);
      }
      expect(JSON.stringify(await started.execute('select password_hash from users'))).toContain('$argon2id$');
    });

    test('of two parallel changes with the same If-Match one succeeds', async () => {
      const person = await createUser(service, 'contested');
      const changes = Array.from({ length: 10 }, (_, i) =>
        service.as(admin).call('PATCH', `/api/v1/users/${person.id}`, { fullName: `name ${i}` }, { 'If-Match': '"1"' }),
      );
      const statuses = (await Promise.all(changes)).map((response) => response.status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(statuses.filter((status) => status === 412)).toHaveLength(9);
    });

    test('two administrators cannot demote each other in parallel', async () => {
      const [adminId] = (await service.as(admin).call<List<{ id: string }>>('GET', '/api/v1/users?search=admin')).json.items.map(
        ({ id }) => id,
      );
      const second = await createUser(service, 'second', { roles: ['Administrator'], databases: ['*'] });
      const demote = (caller: Caller, id: string | undefined) => caller.call('PATCH', `/api/v1/users/${id}`, { roles: [] });
      const responses = await Promise.all([demote(service.as(admin), second.id), demote(second.caller, adminId)]);
      expect(responses.filter((response) => response.status === 200)).toHaveLength(1);
    });
  });
});
