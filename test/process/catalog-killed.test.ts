import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { createDatabase, postgresProblem } from '../support/databases/postgres.ts';
import { createWorkspace, type ServiceProcess } from '../support/services/process.ts';
import { admin, expectStatus } from '../support/services/service.ts';

// After a kill -9 while a catalog is applied, either all of its changes are stored or none.

const QUERIES = 150;
const ROUNDS = Number(process.env.TEST_KILLS ?? 5);

const catalogOf = (version: number) => ({
  queries: Array.from({ length: QUERIES }, (_, index) => ({
    queryName: `QD_Killed_${index}_Demo`,
    name: `Killed ${index}`,
    database: 'Demo',
    sql: `select ${version} as n`,
    aiAccess: true,
    roles: [],
  })),
});
const apply = (service: ServiceProcess, version: number) =>
  service.as(admin).call('POST', '/api/v1/catalog/apply', catalogOf(version));

/** The SQL of all queries, each once. */
async function readVersions(service: ServiceProcess): Promise<readonly string[]> {
  const { json } = await expectStatus(
    service
      .as(admin)
      .call<{ items: { queryName: string; sql: string; status: string }[] }>('GET', '/api/v1/queries?limit=200&search=Killed'),
    200,
  );
  const killed = json.items.filter(({ queryName }) => queryName.startsWith('QD_Killed_'));
  expect(killed.length).toBe(QUERIES);
  return [...new Set(killed.map(({ sql, status }) => `${status}: ${sql}`))];
}

async function measure(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const stores = [
  { name: 'SQLite', problem: null, settings: async () => ({}) },
  { name: 'PostgreSQL', problem: postgresProblem(), settings: async () => ({ SLUICE_METADATA_URL: await createDatabase() }) },
];

describe.each(stores)('on $name', ({ problem, settings }) => {
  test.skipIf(problem !== null)(
    'a service that is killed while it applies has applied all or nothing',
    { timeout: 300_000 },
    async () => {
      const workspace = await createWorkspace();
      try {
        const environment = await settings();
        let service = await workspace.start(environment);
        await expectStatus(apply(service, 0), 200);
        const takes = await measure(() => expectStatus(apply(service, 1), 200));
        let version = 1;
        for (let round = 0; round < ROUNDS; round++) {
          const applying = apply(service, version + 1).catch(() => null); // the connection ends
          await sleep(takes * (0.5 + (0.5 * round) / ROUNDS)); // the first half are validations
          await service.kill();
          await applying;
          service = await workspace.start(environment);
          const found = await readVersions(service);
          expect(['before', 'after']).toContain(found.join() === `Active: select ${version} as n` ? 'before' : 'after');
          if (found.join() !== `Active: select ${version} as n`) expect(found).toEqual([`Active: select ${++version} as n`]);
        }
        await expectStatus(apply(service, version + 1), 200);
        expect(await readVersions(service)).toEqual([`Active: select ${version + 1} as n`]);
      } finally {
        await workspace.remove();
      }
    },
  );
});

test.skipIf(postgresProblem() !== null)(
  'a transaction that is killed in its middle leaves nothing (needs PostgreSQL)',
  { timeout: 300_000 },
  async () => {
    const workspace = await createWorkspace();
    const url = await createDatabase();
    const blocker = new pg.Client(url);
    try {
      const environment = { SLUICE_METADATA_URL: url };
      let service = await workspace.start(environment);
      await expectStatus(apply(service, 1), 200);
      await blocker.connect();
      await blocker.query('begin');
      await blocker.query(`select 1 from queries where query_name = 'QD_Killed_${QUERIES - 1}_Demo' for update`);
      let applying: Promise<unknown> | null = null;
      const countWaiting = async () => {
        // the service waits for a lock for two seconds: a test that looks later than that tries again
        applying ??= apply(service, 2).then(
          () => (applying = null),
          () => null,
        );
        const { rowCount } = await blocker.query(
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return rowCount;
      };
      await expect.poll(countWaiting, { timeout: 120_000, interval: 20 }).toBeGreaterThan(0);
      await service.kill();
      await applying;
      await blocker.query('rollback');
      service = await workspace.start(environment);
      expect(await readVersions(service)).toEqual(['Active: select 1 as n']);
    } finally {
      await blocker.end();
      await workspace.remove();
    }
  },
);
