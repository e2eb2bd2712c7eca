import { type Caller, expectStatus } from '../services/service.ts';
import { startPostgres } from './postgres-server.ts';
import { execute } from './postgres.ts';

/** Adds a PostgreSQL database to the catalog. */
export async function addPostgres(author: Caller, name: string, url: string): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const connection = { host: hostname, port: Number(port), user: username, password, database: pathname.slice(1) };
  const response = author.call<{ id: string }>('POST', '/api/v1/databases', { name, kind: 'postgres', connection });
  return (await expectStatus(response, 201)).json.id;
}

/** The active queries of the database, except this one. */
export const listActive = async (url: string): Promise<readonly { pid: number; query: string }[]> =>
  (
    await execute(
      url,
      `select pid, query from pg_stat_activity
       where datname = current_database() and state = 'active' and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    )
  ).map(({ pid, query }) => ({ pid: Number(pid), query: String(query) }));

/** A separate PostgreSQL that can be restarted by killing one of its processes. */
export async function startRestartablePostgres(): Promise<{ url: string; restart(): Promise<void>; stop(): Promise<void> }> {
  const server = await startPostgres();
  const readWalWriter = async () => {
    const [row] = await execute(server.url, "select pid from pg_stat_activity where backend_type = 'walwriter'");
    return row === undefined ? undefined : Number(row.pid);
  };
  return {
    url: server.url,
    restart: async () => {
      const victim = await readWalWriter();
      if (victim === undefined) throw new Error('PostgreSQL has no process to kill.');
      process.kill(victim, 'SIGKILL');
      const end = performance.now() + 60_000;
      // a poll may miss the moment in which it is down, but not that it has another process
      for (let found: number | undefined = victim; found === undefined || found === victim;) {
        if (performance.now() > end) throw new Error('PostgreSQL did not restart.');
        found = await readWalWriter().catch(() => undefined);
      }
    },
    stop: server.stop,
  };
}
