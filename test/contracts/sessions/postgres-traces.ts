import type { Client } from 'pg';
import type { PostgresTestDatabase } from '../postgres/fixture.ts';
import type { SessionFixture } from './session-contract.ts';

/** The statement that leaves each trace in a session. `leave` runs it when it is called, `planned` already while its statement is planned. */
const traces: Readonly<Record<string, string>> = {
  'the schema path': "PERFORM set_config('search_path', 'other', false)",
  'a setting that row-level security reads': "PERFORM set_config('app.tenant', 'acme', false)",
  'a role':
    "PERFORM set_config('role', (SELECT rolname FROM pg_roles WHERE rolname LIKE 'clerk_%' AND pg_has_role(oid, 'MEMBER')), false)",
  'settings of the service': `PERFORM set_config('default_transaction_read_only', 'off', false), set_config('TimeZone', 'Asia/Tokyo', false),
    set_config('statement_timeout', '0', false), set_config('client_connection_check_interval', '0', false)`,
  'a temporary table': "EXECUTE 'CREATE TEMP TABLE items (id integer, name text, note text)'",
  'an advisory lock': 'PERFORM pg_advisory_lock(4711)',
  'a prepared statement': "EXECUTE 'PREPARE left_over AS SELECT 1'",
  'a forged statement': `FOR name IN SELECT s.name FROM pg_prepared_statements s WHERE statement = 'SELECT owner FROM whose' LOOP
      EXECUTE format('DEALLOCATE %1$I', name);
      EXECUTE format('PREPARE %1$I AS SELECT ''forged''', name);
    END LOOP`,
  'a missing statement': `FOR name IN SELECT s.name FROM pg_prepared_statements s WHERE statement = 'SELECT owner FROM whose' LOOP
      EXECUTE format('DEALLOCATE %1$I', name);
    END LOOP`,
  'no prepared statements': "EXECUTE 'DEALLOCATE ALL'",
  'a cursor': "EXECUTE 'DECLARE left_over CURSOR WITH HOLD FOR SELECT 1'",
  'a channel': "EXECUTE 'LISTEN left_over'",
  'the last value of a sequence': "PERFORM nextval('numbers')",
  'a seed of random numbers': 'PERFORM setseed(0.5)',
};

/** The traces that a function declared without side effects can leave when the planner calls it. */
export const plannedTraces = Object.keys(traces).filter((trace) => /PERFORM (?!nextval)/.test(traces[trace] ?? ''));

export function postgresSessions(database: () => Promise<PostgresTestDatabase>): SessionFixture {
  return {
    async open() {
      const { open, owner } = await database();
      return open(owner, { writable: true, connections: 1 });
    },
    traces: Object.keys(traces),
    select: {
      whole: (trace) => `SELECT leave('${trace}')`,
      failing: (trace) => `SELECT CASE WHEN i = 1 THEN leave('${trace}') ELSE 1 / (500 - i) END FROM generate_series(1, 1000) i`,
      slow: (trace) =>
        `SELECT leave('${trace}') FROM generate_series(1, 2) i WHERE leave('${trace}') = 1 AND pg_sleep(300) IS NULL`,
      endless: (trace) =>
        `SELECT CASE WHEN i = 1 THEN leave('${trace}') END FROM (SELECT generate_series(1::int8, 1000000000000) AS i) s`,
    },
    epilogue: {
      whole: (trace) => `INSERT INTO log SELECT leave('${trace}')`,
      failing: (trace) => `INSERT INTO log SELECT leave('${trace}') / (id - id) FROM items`,
      trigger: (trace) => `INSERT INTO events VALUES ('${trace}')`,
    },
    probes: [
      'SELECT owner FROM whose',
      "SELECT string_agg(name || '=' || setting, ' ' ORDER BY name) FROM pg_settings WHERE name !~ '^plpgsql|^transaction_read_only'",
      "SELECT current_user = session_user, current_setting('search_path'), coalesce(current_setting('app.tenant', true), '')",
      'SELECT count(*) FROM ledger',
      'SELECT count(*) FROM items',
      "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()",
      'SELECT count(*) FROM pg_prepared_statements WHERE from_sql',
      'SELECT count(*) FROM pg_cursors WHERE is_holdable',
      'SELECT count(*) FROM pg_listening_channels()',
      "SELECT to_regclass('pg_temp.items')::text",
      'SELECT last_value_seen()',
      'SELECT random() = ANY (known) FROM seeded',
    ],
  };
}

/** Creates what the fixture above needs in the database. */
export async function prepareSessionTraces(admin: Client, owner: string): Promise<void> {
  const branches = Object.entries(traces).map(([trace, code]) => `WHEN '${trace}' THEN ${code};`);
  const body = (parameter: string) => `DECLARE name text; BEGIN CASE ${parameter} ${branches.join('\n')} END CASE; `;
  await admin.query(`
    CREATE ROLE clerk_${owner};
    GRANT clerk_${owner} TO ${owner};
    CREATE SCHEMA other;
    GRANT USAGE ON SCHEMA other TO PUBLIC;
    CREATE TABLE whose AS SELECT 'mine' AS owner;
    CREATE TABLE other.whose AS SELECT 'of another' AS owner;
    CREATE TABLE ledger AS SELECT 'acme' AS tenant;
    ALTER TABLE ledger ENABLE ROW LEVEL SECURITY;
    CREATE POLICY own_rows ON ledger USING (tenant = current_setting('app.tenant', true));
    CREATE TABLE events (trace text);
    SELECT setseed(0.5);
    CREATE TABLE seeded AS SELECT array_agg(random()) AS known FROM generate_series(1, 50);
    CREATE FUNCTION leave(trace text) RETURNS integer LANGUAGE plpgsql AS $$ ${body('trace')} RETURN 1; END $$;
    CREATE FUNCTION planned(trace text) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS $$ ${body('trace')} RETURN 1; END $$;
    CREATE FUNCTION leave_by_trigger() RETURNS trigger LANGUAGE plpgsql AS $$ ${body('NEW.trace')} RETURN NEW; END $$;
    CREATE TRIGGER leaves BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION leave_by_trigger();
    CREATE FUNCTION last_value_seen() RETURNS bigint LANGUAGE plpgsql AS
      'BEGIN RETURN lastval(); EXCEPTION WHEN object_not_in_prerequisite_state THEN RETURN NULL; END';
    GRANT SELECT ON other.whose, whose, ledger, seeded TO PUBLIC;
    GRANT INSERT ON events TO PUBLIC;`);
}
