import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { auditOf } from '../support/audit-entries.ts';
import { createDatabase, execute, postgresProblem } from '../support/databases/postgres.ts';
import { listActive, addPostgres } from '../support/databases/restartable-postgres.ts';
import { expectProblem } from '../support/http/problem.ts';
import { createKey, createQueryUser } from '../support/people/accounts.ts';
import { executionsOf } from '../support/queries/exports.ts';
import { publish } from '../support/queries/publish.ts';
import {
  type ApiResponse,
  admin,
  type Caller,
  expectStatus,
  type ResultPage,
  startTestService,
  type TestService,
} from '../support/services/service.ts';
import { waitUntil } from '../support/wait-until.ts';

const ROWS = 400_000; // about 40 MB
const READ_AHEAD = 16 * 2 ** 20;
const SLOTS = 4;

describe.skipIf(postgresProblem() !== null)('a large result without further page requests, while other calls run', () => {
  let service: TestService;
  let url: string;
  let large: string;
  let small: string;
  let sleep: string;
  let author: Caller;
  let caller: Caller;
  beforeAll(async () => {
    service = await startTestService({
      SLUICE_MAX_PER_DATABASE: String(SLOTS),
      SLUICE_MAX_PER_USER: '2',
      SLUICE_DRAIN_SECONDS: '20',
    });
    author = service.as(admin);
    url = await createDatabase();
    await execute(
      url,
      `create table wide as select i as id, md5(i::text) as a, md5((i + 1)::text) as b from generate_series(1, ${ROWS}) i`,
    );
    await addPostgres(author, 'Far', url);
    await addPostgres(author, 'Near', url);
    large = (await publish(author, { name: 'Wide', sql: 'select * from wide', database: 'Far' })).queryName;
    small = (await publish(author, { name: 'Small', sql: 'select 42 as n', database: 'Far' })).queryName;
    sleep = (await publish(author, { name: 'Sleep', sql: 'select pg_sleep(60)::text as slept', database: 'Near' })).queryName;
    const { credential } = await createQueryUser(service, 'reader');
    caller = service.as({ key: (await createKey(service.as(credential), { limits: { concurrent: 1 } })).key });
  }, 60_000);
  afterEach(() => cancelAll());
  afterAll(() => service?.close());

  const cancelAll = async () => {
    for (const { id } of await executionsOf(author)) await author.call('DELETE', `/api/v1/executions/${id}`);
    await waitUntil(
      () => executionsOf(author),
      (all) => all.length === 0,
    );
  };
  const firstPage = () => expectStatus(caller.run(large, [], { RowSize: '1000' }), 200);
  const codeIn = ({ json }: ApiResponse<ResultPage>) => json.QueryMoreCode ?? '';
  const nextPage = (page: ApiResponse<ResultPage>, more: Record<string, string> = {}) =>
    caller.run(large, [], { QueryMoreCode: codeIn(page), ...more });
  const countCursors = async () => (await listActive(url)).filter(({ query }) => query.includes('wide')).length;
  const listDrains = async () => (await executionsOf(author)).filter(({ query }) => query === large);
  /** Waits until the drains have stopped reading and this many cursors are open. */
  const waitUntilPaused = async (count: number) => {
    let before = '';
    await waitUntil(
      async () => {
        const now = JSON.stringify((await listDrains()).map(({ rows }) => rows));
        const isSame = now === before;
        before = now;
        await new Promise((resolve) => setTimeout(resolve, 200));
        return isSame && (await countCursors()) === count;
      },
      (same) => same,
    );
    return listDrains();
  };
  const diskBytes = async () => {
    const folder = join(service.folder, 'snapshots');
    const names = (await readdir(folder, { recursive: true })).filter((name) => /(rows|offsets)$/.test(name));
    const sizes = names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  };

  test('is read ahead to a limit, holds one cursor, and is read further when its reader requests pages', async () => {
    await runWhileBusy(async () => {
      const first = await firstPage();
      expect(await waitUntilPaused(1)).toMatchObject([{ state: 'draining', user: 'reader' }]);
      expect(await diskBytes()).toBeLessThan(READ_AHEAD * 1.5);
      const second = await expectStatus(nextPage(first), 200);
      expect(second.json.Data[0]).toMatchObject({ id: 1001 });
      expect(await auditOf(author, second)).toMatchObject({ action: 'query.next-page', rows: 1000, outcome: 'ok' });
      const last = await expectStatus(nextPage(first, { RowIndex: String(ROWS - 10) }), 200);
      expect(last.json.Data).toHaveLength(10);
      expect(last.json.QueryMoreCode).toBeNull();
      await waitUntil(countCursors, (count) => count === 0);
    });
  });

  test('counts neither towards the limit of its user nor of its key', async () => {
    await runWhileBusy(async () => {
      for (let count = 1; count <= 2; count++) {
        await firstPage(); // each within the key's one call and the user's two
        await waitUntilPaused(count);
      }
      await expectStatus(caller.run(small), 200);
    });
  });

  test('releases its slot to waiting calls: every first page is returned, cursors stay bounded, expired codes give the reason', async () => {
    await runWhileBusy(async () => {
      const before = await diskBytes();
      const pages: ApiResponse<ResultPage>[] = [];
      let most = 0;
      for (let count = 0; count < 3 * SLOTS; count++) {
        pages.push(await firstPage());
        most = Math.max(most, await countCursors());
      }
      expect(most).toBeLessThanOrEqual(SLOTS);
      await waitUntilPaused(SLOTS / 2); // cursors without demand are fewer
      expect((await diskBytes()) - before).toBeLessThan((SLOTS / 2) * READ_AHEAD * 1.5);
      const [oldest] = pages;
      const newest = pages.at(-1);
      if (oldest === undefined || newest === undefined) throw new Error('no pages');
      const problem = await expectProblem(nextPage(oldest), 400, 'continuation_expired');
      expect(problem.detail).toMatch(/given up because nobody asked .* Run the query again/);
      expect((await expectStatus(nextPage(newest), 200)).json.Data).toHaveLength(1000);
    });
  });

  test('can be cancelled by an Administrator', async () => {
    await runWhileBusy(async () => {
      const first = await firstPage();
      const [drain] = await waitUntilPaused(1);
      await expectStatus(author.call('DELETE', `/api/v1/executions/${drain?.id}`), 204);
      await waitUntil(countCursors, (count) => count === 0);
      expect((await expectStatus(nextPage(first), 200)).json.QueryMoreCode).not.toBeNull();
      await expectProblem(nextPage(first, { RowIndex: String(ROWS - 10) }), 500, 'result_incomplete');
    });
  });

  test('is complete after a restart', async () => {
    let first: ApiResponse<ResultPage> | undefined;
    await runWhileBusy(async () => {
      first = await firstPage();
      await waitUntilPaused(1);
      await service.restart();
    });
    if (first === undefined) throw new Error('no page');
    const last = await expectStatus(nextPage(first, { RowIndex: String(ROWS - 10) }), 200);
    expect(last.json.Data).toHaveLength(10);
  });

  test('is read to its end when the service is idle', async () => {
    const first = await firstPage();
    await waitUntil(listDrains, (all) => all.length === 0);
    expect(await countCursors()).toBe(0);
    expect((await expectStatus(nextPage(first), 200)).json.Data).toHaveLength(1000);
  });

  /** Another call runs all the time, so that nothing is read in the background. */
  async function runWhileBusy(work: () => Promise<void>): Promise<void> {
    const call = author.run(sleep);
    await waitUntil(
      () => executionsOf(author),
      (all) => all.some(({ query, state }) => query === sleep && state === 'running'),
    );
    try {
      await work();
    } finally {
      await cancelAll();
      await call;
    }
  }
});
