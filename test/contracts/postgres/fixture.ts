import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import type { Connector, OpenRequest } from '../../../src/connectors/connector.ts';
import { postgres } from '../../../src/connectors/postgres/index.ts';
import type { ConnectorFixture } from '../connector-contract.ts';
import { postgresCells, postgresEchoes } from './cells.ts';

export const connections = 3;

/** A database with two accounts: a reader, and the owner of everything in it. */
export interface PostgresTestDatabase {
  readonly admin: Client; // as superuser
  readonly reader: URL;
  readonly owner: URL;
  open(account: URL, options?: { writable?: boolean; connections?: number }): Promise<Connector>;
  /** The backends of the connections of the service. */
  backends(): Promise<{ pid: number; state: string; query: string; waitsFor: string | null }[]>;
  close(): Promise<void>;
}

export async function preparePostgres(url: string): Promise<PostgresTestDatabase> {
  const admin = new Client({ connectionString: url });
  await admin.connect();
  const account = async (name: string): Promise<URL> => {
    const found = new URL(url);
    found.username = `${name}_${randomBytes(4).toString('hex')}`;
    found.password = randomBytes(8).toString('hex');
    await admin.query(`CREATE ROLE ${found.username} LOGIN PASSWORD '${found.password}'`);
    return found;
  };
  const reader = await account('reader');
  const owner = await account('owner');
  await admin.query(tables);
  await admin.query(`
    GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${reader.username};
    ALTER TABLE items OWNER TO ${owner.username};
    ALTER TABLE log OWNER TO ${owner.username};
    ALTER SEQUENCE numbers OWNER TO ${owner.username};
    GRANT CREATE ON SCHEMA public TO ${owner.username};`);
  return {
    admin,
    reader,
    owner,
    open: (account, { writable = false, connections: most = connections } = {}) =>
      postgres.open(request(account, { writable, connections: most })),
    backends: async () => {
      const { rows } = await admin.query(
        `SELECT pid, state, query, wait_event AS "waitsFor" FROM pg_stat_activity
         WHERE application_name = 'sluice' AND datname = current_database()`,
      );
      return rows;
    },
    close: () => admin.end(),
  };
}

export function request(account: URL, options: { writable?: boolean; connections?: number } = {}): OpenRequest {
  const { writable = false, connections: most = connections } = options;
  return {
    name: 'test',
    connection: {
      host: account.hostname,
      port: Number(account.port),
      user: account.username,
      password: account.password,
      database: account.pathname.slice(1),
    },
    settings: {},
    writable,
    context: { fileFolders: [], trustedFiles: [], dataFolder: '', scratchFolder: '', connections: most },
  };
}

export function postgresFixture(database: () => Promise<PostgresTestDatabase>): ConnectorFixture {
  return {
    connections,
    volume: true,
    async open({ writable }) {
      const prepared = await database();
      const connector = await prepared.open(writable ? prepared.owner : prepared.reader, { writable });
      const canary = async () => JSON.stringify((await prepared.admin.query(fingerprint)).rows);
      return { connector, canary, close: () => connector.close() };
    },
    sql: {
      series: (count) => `SELECT i AS n, 'row number ' || i AS t FROM generate_series(1, ${count}) i`,
      slow: 'SELECT pg_sleep(300)::text',
      // in FROM the function would run to its end first
      endless: 'SELECT generate_series(1::int8, 1000000000000) AS n',
      failingAt: (row) => `SELECT CASE WHEN i = ${row} THEN 'x' ELSE i::text END::int8 FROM generate_series(1, 1000000) i`,
      empty: { sql: 'SELECT id, name FROM items WHERE false', columns: ['id', 'name'] },
      twice: 'SELECT @Number AS a, @Number AS b, @Missing IS NULL AS c',
      invalid: [
        { sql: 'SELECT nope FROM items', message: /"nope"/, line: 1, column: 8 },
        { sql: "SELECT 'ä€😀 $1',\n  @Number + @Number, nope\nFROM items", message: /"nope"/, line: 2, column: 22 },
        { sql: 'SELECT id\nFROM items\nWHERE WHERE id = @Number', message: /syntax error/, line: 3, column: 7 },
        { sql: 'SELECT * FROM missing', message: /"missing"/, line: 1, column: 15 },
        { sql: 'SELECT @Number || id FROM items', message: /operator does not exist/, line: 1, column: 16 },
        { sql: '', message: /returns rows/ },
        { sql: '-- nothing', message: /returns rows/ },
        { sql: 'SELECT $1', message: /@Name/ },
        { sql: 'SELECT \0 1', message: /zero byte/ },
      ],
      refused: [
        'SELECT 1; SELECT 2',
        'EXPLAIN SELECT 1',
        'EXPLAIN ANALYZE SELECT 1',
        'SHOW server_version',
        'SET statement_timeout = 0',
        'BEGIN',
        'COMMIT',
        'PREPARE p AS SELECT 1',
        'DEALLOCATE ALL',
        'DISCARD ALL',
        'LISTEN news',
        'DECLARE c CURSOR WITH HOLD FOR SELECT 1',
        "INSERT INTO items VALUES (99, 'x', NULL) RETURNING id",
        'WITH gone AS (DELETE FROM log RETURNING number) SELECT count(*) FROM gone',
        'CALL remember(7)',
        'DO $$ BEGIN END $$',
        "COPY items TO PROGRAM 'cat'",
        'COPY items TO STDOUT',
        'SELECT id INTO stolen FROM items',
      ],
      epilogue: {
        add: 'INSERT INTO log VALUES (@Number)',
        broken: "INSERT INTO log SELECT ('x' || @Number)::integer",
        count: 'SELECT count(*) FROM log',
      },
    },
    cells: postgresCells(),
    echoes: postgresEchoes(),
    echo: () => 'SELECT @Value AS v',
    table: { schema: 'public', name: 'items', columns: ['id', 'name', 'note'], view: 'named' },
    escapes,
  };
}

const tables = `
  CREATE TABLE items (id integer NOT NULL PRIMARY KEY, name varchar(20) NOT NULL, note text);
  INSERT INTO items VALUES (1, 'one', NULL), (2, 'two', 'second');
  COMMENT ON TABLE items IS 'what there is';
  COMMENT ON COLUMN items.note IS 'what else there is to say';
  CREATE VIEW named AS SELECT name FROM items;
  CREATE TABLE log (number integer);
  CREATE SEQUENCE numbers;
  CREATE TYPE mood AS ENUM ('sad', 'ok');
  CREATE DOMAIN short_text AS varchar(20);
  CREATE DOMAIN positive AS integer CHECK (VALUE > 0);
  CREATE TYPE thing AS (id integer, name text, note text, list integer[]);
  CREATE PROCEDURE remember(INOUT n integer) LANGUAGE plpgsql AS 'BEGIN INSERT INTO log VALUES (n); END';
  CREATE FUNCTION sneak(n integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER AS
    'BEGIN INSERT INTO log VALUES (n); RETURN n; END';
  CREATE FUNCTION liar(n integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS
    'BEGIN INSERT INTO log VALUES (n); RETURN n; END';
  CREATE FUNCTION noisy(n integer) RETURNS integer LANGUAGE plpgsql AS
    'BEGIN IF n % 7 = 0 THEN RAISE NOTICE ''%'', repeat(''noise '', 20); END IF; RETURN n; END';
  CREATE FUNCTION execute(statement text) RETURNS integer LANGUAGE plpgsql AS
    'BEGIN EXECUTE statement; RETURN 1; END';`;

const fingerprint = `
  SELECT (SELECT string_agg(i::text, ',' ORDER BY id) FROM items i) AS items,
    (SELECT count(*) FROM log) AS log,
    (SELECT last_value::text || is_called FROM numbers) AS numbers,
    (SELECT string_agg(relname, ',' ORDER BY relname) FROM pg_class
     WHERE relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace, 'pg_toast'::regnamespace)) AS relations,
    (SELECT count(*) FROM pg_proc) AS functions,
    (SELECT count(*) FROM pg_namespace WHERE nspname !~ '^pg_(toast_)?temp') AS schemas,
    (SELECT string_agg(d::text, ',' ORDER BY setdatabase, setrole) FROM pg_db_role_setting d) AS settings,
    (SELECT count(*) FROM pg_largeobject_metadata) AS large_objects,
    (SELECT count(*) FROM pg_locks JOIN pg_database ON oid = database WHERE locktype = 'advisory' AND datname = current_database()) AS advisory_locks,
    (SELECT count(*) FROM pg_prepared_xacts) AS prepared_transactions`;

const escapes = [
  'SELECT 1; DELETE FROM items',
  'COMMIT; DELETE FROM items',
  'SELECT 1; COMMIT; INSERT INTO log VALUES (1); SELECT 1',
  'DELETE FROM items',
  "INSERT INTO items VALUES (7, 'x', NULL)",
  "UPDATE items SET note = 'x' RETURNING id",
  'WITH gone AS (DELETE FROM items RETURNING *) SELECT * FROM gone',
  'WITH added AS (INSERT INTO log VALUES (9) RETURNING number) SELECT * FROM added',
  'MERGE INTO items i USING (SELECT 1 AS id) s ON i.id = s.id WHEN MATCHED THEN DELETE RETURNING i.id',
  'TRUNCATE log',
  'DROP TABLE items',
  'CREATE TABLE stolen AS SELECT * FROM items',
  'CREATE TEMP TABLE stolen AS SELECT * FROM items',
  'SELECT * INTO stolen FROM items',
  'SELECT * INTO TEMP stolen FROM items',
  'CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
  'ALTER ROLE CURRENT_USER SET default_transaction_read_only = off',
  'SELECT nextval($$numbers$$)',
  'SELECT setval($$numbers$$, 99)',
  'SELECT sneak(1)',
  'SELECT liar(1)',
  'SELECT id FROM items WHERE id = liar(1)',
  'CALL remember(1)',
  'DO $$ BEGIN INSERT INTO log VALUES (1); END $$',
  "SELECT execute('INSERT INTO log VALUES (1)')",
  "SELECT execute('COMMIT')",
  "SELECT execute('DEALLOCATE ALL')",
  "SELECT execute('SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE')",
  "SELECT execute('CREATE TEMP TABLE stolen (i int)')",
  "SELECT set_config('transaction_read_only', 'off', false), sneak(2)",
  "SELECT set_config('transaction_read_only', 'off', true)",
  "SELECT set_config('default_transaction_read_only', 'off', false)",
  "WITH open AS MATERIALIZED (SELECT set_config('transaction_read_only', 'off', false)) SELECT sneak(3) FROM open",
  "SELECT set_config('role', 'postgres', false)",
  "SELECT set_config('session_authorization', 'postgres', false)",
  "SELECT set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false)",
  "SELECT query_to_xml('DELETE FROM items RETURNING *', true, true, '')",
  "SELECT * FROM pg_read_file('/etc/passwd')",
  "SELECT pg_ls_dir('/')",
  "SELECT lo_import('/etc/passwd')",
  "SELECT lo_from_bytea(0, 'x')",
  'SELECT lo_create(0)',
  "COPY items TO '/var/tmp/sluice-escape.csv'",
  "COPY (SELECT 1) TO PROGRAM 'touch /var/tmp/sluice-escape'",
  "COPY log FROM PROGRAM 'echo 1'",
  'SELECT pg_advisory_lock(1, 2)',
  'SELECT id FROM items FOR UPDATE',
  'LOCK TABLE items',
  'PREPARE TRANSACTION $$later$$',
  "SELECT pg_notify('news', 'x')",
  'EXECUTE sluice_commit',
  'VACUUM items',
  'REFRESH MATERIALIZED VIEW named',
];
