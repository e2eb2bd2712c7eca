import { Client } from 'pg';
import { publish } from '../queries/publish.ts';
import { type Caller, expectStatus } from '../services/service.ts';
import { createDatabase, execute } from './postgres.ts';

/** A PostgreSQL database `Pg` with queries that take as long as a test needs. */
export interface SlowPostgres {
  readonly url: string;
  /** Publishes a query with three rows as soon as nothing holds `@Lock`, and returns its technical name. */
  publish(name: string, more?: Record<string, unknown>): Promise<string>;
  /** Holds a lock. */
  hold(): Promise<HeldLock>;
  /** How many statements of the query the database executes right now. */
  active(name: string): Promise<number>;
  /** Releases all locks. */
  close(): Promise<void>;
}

/** Queries with these parameters have no rows until it is released. */
export interface HeldLock {
  readonly parameters: { readonly '@Lock': number };
  release(): Promise<void>;
}

export const slowRows = [1, 2, 3].map((n) => ({ n, word: `row ${n}` }));
export const lockParameter = { name: '@Lock', dataType: 'int', required: true };
/** With these, queries do not wait. */
export const withoutLock = { '@Lock': 0 } as const;

/** Returns when nothing holds the lock. It polls, because connections of the service have a `lock_timeout`. */
const passLock = `create function pass_lock(lock int) returns void language plpgsql as $$
begin
  while not pg_try_advisory_xact_lock_shared(lock) loop perform pg_sleep(0.02); end loop;
end $$`;

export async function openSlowPostgres(root: Caller): Promise<SlowPostgres> {
  const url = await createDatabase();
  await execute(url, passLock);
  const { hostname: host, port, username: user, password, pathname } = new URL(url);
  const connection = { host, port: Number(port), user, password, database: pathname.slice(1) };
  const database = { name: 'Pg', kind: 'postgres', connection, writable: true };
  await expectStatus(root.call('POST', '/api/v1/databases', database), 201);
  const holder = new Client({ connectionString: url });
  await holder.connect();
  let locks = 0;
  return {
    url,
    async publish(name, more = {}) {
      const sql = `select g as n, 'row ' || g as word from pass_lock(@Lock), generate_series(1, 3) g /* ${name} */`;
      return (await publish(root, { name, database: 'Pg', sql, parameters: [lockParameter], ...more })).queryName;
    },
    async hold() {
      const lock = ++locks;
      await holder.query('select pg_advisory_lock($1)', [lock]);
      return {
        parameters: { '@Lock': lock },
        release: async () => void (await holder.query('select pg_advisory_unlock($1)', [lock])),
      };
    },
    active: async (name) =>
      (
        await execute(
          url,
          `select pid from pg_stat_activity where state = 'active' and datname = current_database() and query not like '%pg_stat_activity%' and query like '%/* ${name} */%'`,
        )
      ).length,
    close: () => holder.end(),
  };
}
