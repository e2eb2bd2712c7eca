import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, postgresProblem } from '../support/databases/postgres.ts';
import { reportFigure } from '../support/faults/figure.ts';
import { mebibytes, readResidentTree } from '../support/faults/resident-memory.ts';
import { openUnreadCall } from '../support/http/unread-call.ts';
import { createKey, createQueryUser } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { createWorkspace, type ServiceProcess, type Workspace } from '../support/services/process.ts';
import { admin, type Caller, expectStatus } from '../support/services/service.ts';
import { waitUntil } from '../support/wait-until.ts';

// the long form: TEST_UNREAD=60
const SOCKETS = Number(process.env.TEST_UNREAD ?? 24);
const PAGES_OF_A_USER = Math.floor((64 << 20) / 15_000_000);
const MAX_GROWTH = 300 << 20; // the 64 MiB of a user, and 16 queries that run at the same time
const MAX_RETAINED = 150 << 20; // that the allocator keeps for reuse
const sql = {
  DuckDB: "select i as n, repeat('x', 980) as t from range(15200) r(i)",
  PostgreSQL: "select i as n, repeat('x', 980) as t from generate_series(1, 15200) r(i)",
};

let workspace: Workspace;
let service: ServiceProcess;
let root: Caller;
beforeAll(async () => {
  workspace = await createWorkspace();
  service = await workspace.start({ SLUICE_STALL_SECONDS: '120', SLUICE_ROWS_MAX: '100000' });
  root = service.as(admin);
});
afterAll(() => workspace.remove());

async function addPostgres(): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(await createDatabase());
  const connection = { host: hostname, port: Number(port), user: username, password, database: pathname.slice(1) };
  await expectStatus(root.call('POST', '/api/v1/databases', { name: 'Other', kind: 'postgres', connection }), 201);
  return 'Other';
}

describe.each(['DuckDB', 'PostgreSQL'] as const)('%s', (engine) => {
  const problem = engine === 'PostgreSQL' ? postgresProblem() : null;
  test.skipIf(problem !== null)(
    `${SOCKETS} unread pages of 15 MB take bounded memory, which is given back`,
    { timeout: 300_000 },
    async () => {
      const database = engine === 'DuckDB' ? 'Demo' : await addPostgres();
      const { queryName } = await publish(root, { name: `Unread on ${engine}`, database, sql: sql[engine] });
      const { key } = await createKey((await createQueryUser(service, engine)).caller);
      await expectStatus(service.as({ key }).run(queryName, [], { RowSize: '100000' }), 200);
      const before = readResidentTree(service.pid);
      let most = before;
      const watch = setInterval(() => {
        most = Math.max(most, readResidentTree(service.pid));
      }, 50);

      const sockets: Socket[] = [];
      for (let n = 0; n < SOCKETS; n++) sockets.push(await openUnreadCall(service.url, key, queryName));
      const path = `/api/v1/audit?query=${queryName}&action=query.execute&limit=1000`;
      const entries = () => root.call<{ items: readonly { status: number }[] }>('GET', path);
      const { json } = await waitUntil(entries, ({ json: { items } }) => items.length === SOCKETS + 1, 120_000);
      const statuses = json.items.map(({ status }) => status);
      expect([...new Set(statuses)].filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
      expect(statuses.filter((status) => status === 200).length).toBe(1 + PAGES_OF_A_USER);

      for (const socket of sockets) socket.destroy();
      const left = await waitUntil(
        async () => readResidentTree(service.pid) - before,
        (more) => more < MAX_RETAINED,
        10_000,
      );
      clearInterval(watch);
      const text = `${mebibytes(most - before)} more at most, ${mebibytes(left)} left within 10 s, ${statuses.filter((s) => s === 200).length - 1} held`;
      reportFigure(44, `${SOCKETS} unread pages of 15 MB on ${engine}: ${text}`);
      expect(most - before).toBeLessThan(MAX_GROWTH);
      expect(left).toBeLessThan(MAX_RETAINED);
    },
  );
});
