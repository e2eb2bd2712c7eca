import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeMariadb } from '../support/databases/mariadb-server.ts';
import { postgresProblem } from '../support/databases/postgres.ts';
import { addPostgres, startRestartablePostgres } from '../support/databases/restartable-postgres.ts';
import { reportFigure } from '../support/faults/figure.ts';
import { publish } from '../support/queries/publish.ts';
import { createWorkspace, type Workspace, type ServiceProcess } from '../support/services/process.ts';
import { type ApiResponse, type Caller, admin, expectStatus } from '../support/services/service.ts';
import { waitUntil } from '../support/wait-until.ts';

// the long form: TEST_RESTARTS=5, then on MariaDB too
const RESTARTS = Number(process.env.TEST_RESTARTS ?? 1);
const long = process.env.TEST_RESTARTS !== undefined;
const BACK_MS = long ? 5_000 : 20_000;
const IN_FLIGHT = 6;

interface Engine {
  readonly name: string;
  readonly problem: string | null;
  open(author: Caller): Promise<{ restart(): Promise<void>; stop(): Promise<void> }>;
  readonly slow: string;
  readonly quick: string;
}

const engines: readonly Engine[] = [
  {
    name: 'PostgreSQL',
    problem: postgresProblem(),
    open: async (author) => {
      const server = await startRestartablePostgres();
      await addPostgres(author, 'Fragile', server.url);
      return server;
    },
    slow: 'select pg_sleep(60)::text as slept',
    quick: 'select 1 as n',
  },
  {
    name: 'MariaDB',
    problem: null,
    open: async (author) => {
      const server = await makeMariadb();
      if (typeof server === 'string') throw new Error(server);
      await server.execute('create database shop');
      const connection = { host: server.host, port: server.port, ...server.root, database: 'shop' };
      await expectStatus(author.call('POST', '/api/v1/databases', { name: 'Fragile', kind: 'mysql', connection }), 201);
      const restart = async () => {
        await server.crash();
        await server.start();
      };
      return { restart, stop: server.remove };
    },
    slow: 'select sleep(60) as slept',
    quick: 'select 1 as n',
  },
];

// the connector suite restarts MariaDB as well
describe.each(engines.slice(0, long ? 2 : 1))('$name', (engine) => {
  describe.skipIf(engine.problem !== null)(engine.problem ?? 'restarted in mid-query', () => {
    let workspace: Workspace;
    let service: ServiceProcess;
    let author: Caller;
    let server: Awaited<ReturnType<Engine['open']>>;
    beforeAll(async () => {
      workspace = await createWorkspace();
      service = await workspace.start();
      author = service.as(admin);
      server = await engine.open(author);
    }, 120_000);
    afterAll(async () => {
      await workspace?.remove();
      await server?.stop();
    });

    test('fails the calls in flight and no others, and works again soon', { timeout: 60_000 + RESTARTS * 60_000 }, async () => {
      const query = (name: string, sql: string) => publish(author, { name, sql, database: 'Fragile', timeoutSeconds: 120 });
      const slow = (await query('Slow', engine.slow)).queryName;
      const quick = (await query('Quick', engine.quick)).queryName;
      const elsewhere = (await publish(author, { name: 'Elsewhere', sql: 'select 2 as n' })).queryName;
      const running = async () =>
        (await author.call<{ items: { rows: number }[] }>('GET', '/api/v1/executions')).json.items.length;

      const backMs: number[] = [];
      let served = 0;
      for (let restart = 0; restart < RESTARTS; restart++) {
        const inFlight = Array.from({ length: IN_FLIGHT }, () => author.run(slow));
        expect(await waitUntil(running, (count) => count === IN_FLIGHT, 20_000)).toBe(IN_FLIGHT);
        let over = false;
        const others = (async () => {
          while (!over) {
            expect((await author.run(elsewhere)).status).toBe(200);
            served++;
          }
        })();
        await server.restart();
        const back = performance.now();
        const first = await waitUntil(() => author.run(quick), succeeded, BACK_MS);
        backMs.push(performance.now() - back);
        expect({ status: first.status, text: first.text }).toMatchObject({ status: 200 });
        const failures = (await Promise.all(inFlight)).map((response) => response.status);
        // 503 when its connection was still being opened
        expect(failures.filter((status) => status !== 500 && status !== 503)).toEqual([]);
        over = true;
        await others;
        // from then on no call gets a connection from before the restart
        const after = await Promise.all(Array.from({ length: 20 }, () => author.run(quick)));
        expect(after.filter((response) => !succeeded(response)).map(({ text }) => text)).toEqual([]);
      }
      const slowest = Math.round(Math.max(...backMs));
      reportFigure(
        2,
        `${engine.name} restarted ${RESTARTS}×: ${IN_FLIGHT} calls in flight failed each time, success ${slowest} ms after it is back at most; ${served} calls elsewhere, none failed`,
      );
      expect(service.stderr()).not.toMatch(/"level":60/);
      expect(await service.stop()).toBe(0);
    });
  });
});

const succeeded = (response: ApiResponse<unknown>): boolean => response.status === 200;
