import { publish } from '../queries/publish.ts';
import { type Caller, expectStatus } from '../services/service.ts';
import { createDatabase, execute } from './postgres.ts';

/** A PostgreSQL database `Pg` with queries that take as long as a test needs. */
export interface SlowPostgres {
  readonly url: string;
  /** Publishes a query with three rows after `@Seconds`, and returns its technical name. */
  publish(name: string, more?: Record<string, unknown>): Promise<string>;
  /** How many statements of the query the database executes right now. */
  active(name: string): Promise<number>;
}

export const slowRows = [1, 2, 3].map((n) => ({ n, word: `row ${n}` }));
export const secondsParameter = { name: '@Seconds', dataType: 'decimal(5,2)', required: true };

export async function openSlowPostgres(root: Caller): Promise<SlowPostgres> {
  const url = await createDatabase();
  const { hostname: host, port, username: user, password, pathname } = new URL(url);
  const connection = { host, port: Number(port), user, password, database: pathname.slice(1) };
  const database = { name: 'Pg', kind: 'postgres', connection, writable: true };
  await expectStatus(root.call('POST', '/api/v1/databases', database), 201);
  return {
    url,
    async publish(name, more = {}) {
      const sql = `select g as n, 'row ' || g as word from pg_sleep(@Seconds), generate_series(1, 3) g /* ${name} */`;
      return (await publish(root, { name, database: 'Pg', sql, parameters: [secondsParameter], ...more })).queryName;
    },
    active: async (name) =>
      (
        await execute(
          url,
          `select pid from pg_stat_activity where state = 'active' and pid <> pg_backend_pid() and query like '%/* ${name} */%'`,
        )
      ).length,
  };
}
