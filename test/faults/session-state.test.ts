import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, execute, postgresProblem } from '../support/databases/postgres.ts';
import { reportFigure } from '../support/faults/figure.ts';
import { createUser } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { storeName } from '../support/services/metadata-store.ts';
import { type Caller, type TestService, admin, expectStatus, startTestService } from '../support/services/service.ts';

/** Session state that a function, a trigger or an Epilogue can leave. */
const traces: Readonly<Record<string, string>> = {
  'the schema path': "perform set_config('search_path', 'other', false)",
  'the tenant of row-level security': "perform set_config('app.tenant', 'acme', false)",
  'a role': "execute 'set role clerk'",
  'a temporary table': "execute 'create temp table whose as select ''temporary'' as owner'",
  'an advisory lock': 'perform pg_advisory_lock(4711)',
  'a forged statement': `for name in select s.name from pg_prepared_statements s where statement like '% from whose%' loop
      execute format('deallocate %1$I', name);
      execute format('prepare %1$I as select ''forged'', ''forged'', 7, 7', name);
    end loop`,
};

describe.skipIf(postgresProblem() !== null)('a session that another caller used before', () => {
  let service: TestService;
  let other: Caller;
  let whose: string;
  const leaving = new Map<string, readonly string[]>(); // queries by trace
  beforeAll(async () => {
    service = await startTestService({ SLUICE_MAX_PER_DATABASE: '1' }); // all callers share one connection
    const url = await createDatabase();
    await execute(url, schema());
    const { hostname, port, pathname } = new URL(url);
    const connection = { host: hostname, port: Number(port), user: account, password: 'known', database: pathname.slice(1) };
    const author = service.as(admin);
    const shop = { name: 'Shop', kind: 'postgres', connection, writable: true };
    await expectStatus(author.call('POST', '/api/v1/databases', shop), 201);
    const query = async (name: string, sql: string, epilogue?: string) =>
      (await publish(author, { name, sql, database: 'Shop', ...(epilogue === undefined ? {} : { epilogue }) })).queryName;
    whose = await query(
      'Whose',
      `select owner, current_user::text as account, (select count(*) from ledger) as bookings, ${locks} as locks from whose`,
    );
    for (const [index, trace] of Object.keys(traces).entries()) {
      leaving.set(trace, [
        await query(`Epilogue ${index}`, 'select 1 as n', `insert into log select leave('${trace}')`),
        await query(`Trigger ${index}`, 'select 1 as n', `insert into events values ('${trace}')`),
        await query(`Function ${index}`, `select leave('${trace}') as n`),
        await query(`Failure ${index}`, `select leave('${trace}') / (i - 2) as n from generate_series(1, 3) i`),
      ]);
    }
    other = (await createUser(service, 'other', { roles: ['Query User'], databases: ['*'] })).caller;
  });
  let calls = 0;
  afterAll(async () => {
    reportFigure(18, `${storeName}: ${leaving.size} kinds of state left by ${calls} calls, none seen by the caller behind each`);
    await service?.close();
  });

  const seen = async () => (await expectStatus(other.run(whose), 200)).json.Data;

  test.each(Object.keys(traces))('has no %s, regardless of how the previous call ended', async (trace) => {
    const fresh = [{ owner: 'mine', account, bookings: 0, locks: 0 }];
    expect(await seen()).toEqual(fresh);
    for (const queryName of leaving.get(trace) ?? []) {
      for (let round = 0; round < 8; round++) {
        const { status } = await service.as(admin).run(queryName);
        expect([200, 500]).toContain(status); // read-only queries cannot create temporary tables
        expect(await seen()).toEqual(fresh);
        calls++;
      }
    }
  });
});

const account = 'shopkeeper';
const locks = "(select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid())";

function schema(): string {
  const branches = Object.entries(traces).map(([trace, code]) => `when '${trace}' then ${code};`);
  const body = (trace: string) => `declare name text; begin case ${trace} ${branches.join('\n')} end case;`;
  return `
    do $do$ begin create role clerk; create role ${account} login password 'known'; exception when duplicate_object then null; end $do$;
    grant clerk to ${account};
    create schema other;
    create table whose as select 'mine' as owner;
    create table other.whose as select 'of another' as owner;
    create table ledger as select 'acme' as tenant;
    create table other.ledger as select 'acme' as tenant from generate_series(1, 3);
    alter table ledger enable row level security;
    create policy own_rows on ledger using (tenant = current_setting('app.tenant', true));
    create table log (n integer);
    create table events (trace text);
    create function leave(trace text) returns integer language plpgsql as $$ ${body('trace')} return 1; end $$;
    create function leave_by_trigger() returns trigger language plpgsql as $$ ${body('new.trace')} return new; end $$;
    create trigger leaves before insert on events for each row execute function leave_by_trigger();
    grant usage on schema other to public;
    grant select on whose, other.whose, ledger, other.ledger to public;
    grant insert on log, events to public`;
}
