import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connector, OpenRequest } from '../../../src/connectors/connector.ts';
import { mysql } from '../../../src/connectors/mysql/index.ts';
import type { SqlType } from '../../../src/core/sql-value.ts';
import type { MariadbServer } from '../../support/databases/mariadb-server.ts';
import type { ConnectorFixture } from '../connector-contract.ts';
import { mysqlCells, mysqlEchoes, mysqlTypesTable } from './cells.ts';

const connections = 3;
const database = 'shop';

export interface Account {
  readonly user: string;
  readonly password: string;
}

/** A server with three accounts: a reader, the owner of the database, and the administrator. */
export interface MysqlTestServer {
  readonly server: MariadbServer;
  readonly reader: Account;
  readonly writer: Account;
  open(account: Account, options?: OpenOptions): Promise<Connector>;
  request(account: Account, options?: OpenOptions): OpenRequest;
  /** The activity of the connections of the service, from the process list of the server. */
  processes(): Promise<{ id: string; command: string; statement: string }[]>;
}

interface OpenOptions {
  readonly writable?: boolean;
  readonly connections?: number;
  readonly database?: string;
}

export async function prepareMysql(server: MariadbServer): Promise<MysqlTestServer> {
  const account = (user: string): Account => ({ user, password: randomBytes(8).toString('hex') });
  const [reader, writer] = [account('reader'), account('writer')];
  const request = (of: Account, options: OpenOptions = {}): OpenRequest => ({
    name: 'test',
    connection: { host: server.host, port: server.port, ...of, database: options.database ?? database },
    settings: {},
    writable: options.writable ?? false,
    context: {
      fileFolders: [],
      trustedFiles: [],
      dataFolder: '',
      scratchFolder: '',
      connections: options.connections ?? connections,
    },
  });
  await server.execute(
    ...tables,
    ...mysqlTypesTable,
    `CREATE USER reader IDENTIFIED BY '${reader.password}'`,
    `GRANT SELECT, SHOW VIEW, EXECUTE ON ${database}.* TO reader`,
    `CREATE USER writer IDENTIFIED BY '${writer.password}'`,
    `GRANT ALL ON ${database}.* TO writer`,
  );
  return {
    server,
    reader,
    writer,
    request,
    open: (of, options) => mysql.open(request(of, options)),
    async processes() {
      const rows = await server.execute("SELECT id, command, info FROM information_schema.processlist WHERE user <> 'root'");
      return rows.map(({ id, command, info }) => ({ id: String(id), command: String(command), statement: String(info) }));
    },
  };
}

export function mysqlFixture(prepared: MysqlTestServer): ConnectorFixture {
  const { server } = prepared;
  return {
    connections,
    async open({ writable }) {
      const connector = await prepared.open(writable ? prepared.writer : prepared.reader, { writable });
      const canary = async () => JSON.stringify([await server.execute(fingerprint), await readdir(server.files)]);
      return { connector, canary, close: () => connector.close() };
    },
    sql: {
      series: (count) => `SELECT seq AS n, concat('row number ', seq) AS t FROM seq_1_to_${count}`,
      slow: 'SELECT count(*) FROM seq_1_to_1000000000 a, seq_1_to_1000 b WHERE (a.seq * 31 + b.seq) % 1000003 = 7',
      endless: 'SELECT seq AS n FROM seq_1_to_1000000000000',
      failingAt: (row) => `SELECT CAST(seq AS SIGNED) + IF(seq = ${row}, 9223372036854775807, 0) AS n FROM seq_1_to_1000000`,
      empty: { sql: 'SELECT id, name FROM items WHERE false', columns: ['id', 'name'] },
      twice: 'SELECT @Number AS a, @Number AS b, flag FROM flags WHERE flag = (@Missing IS NULL)',
      invalid: [
        { sql: 'SELECT nope FROM items', message: /'nope'/, line: 1, column: 8 },
        { sql: "SELECT 'ä€😀',\n  @Number + @Number, nope\nFROM items", message: /'nope'/, line: 2, column: 22 },
        { sql: 'SELECT id\nFROM items\nWHERE WHERE id = @Number', message: /error in your SQL syntax/, line: 3, column: 7 },
        { sql: "SELECT 'ä€😀',\n@Number, @Number FROM FROM\nitems", message: /error in your SQL syntax/, line: 2, column: 23 },
        { sql: 'SELECT * FROM missing', message: /missing/, line: 1, column: 15 },
        { sql: 'SELECT nope(1)', message: /nope/, line: 1, column: 8 },
        { sql: 'SELECT (1', message: /error in your SQL syntax/, line: 1, column: 10 },
        { sql: '', message: /no statement/ },
        { sql: '-- nothing', message: /no statement/ },
        { sql: 'SELECT ?', message: /@Name/ },
        { sql: 'SELECT /*! 1, */ 2', message: /server executes/ },
      ],
      refused: [
        'SELECT 1; SELECT 2',
        'EXPLAIN SELECT 1',
        'SHOW TABLES',
        'ANALYZE TABLE items',
        'ANALYZE SELECT 1',
        'CHECK TABLE items',
        'CALL remember(7)',
        'DO SLEEP(1)',
        'SET @x = 1',
        'SET SESSION max_statement_time = 0',
        'BEGIN',
        'COMMIT',
        'BEGIN NOT ATOMIC SELECT 1; END',
        "PREPARE p FROM 'SELECT 1'",
        "EXECUTE IMMEDIATE 'SELECT 1'",
        "INSERT INTO items VALUES (99, 'x', NULL) RETURNING id",
        'SELECT 1 INTO @x',
        'HANDLER items OPEN',
        'XA RECOVER',
        '/*! ANALYZE TABLE items -- */ SELECT 1',
      ],
      epilogue: {
        add: 'INSERT INTO log VALUES (@Number)',
        broken: 'INSERT INTO log SELECT @Number + 99999999999',
        count: 'SELECT count(*) FROM log',
      },
    },
    cells: mysqlCells(),
    echoes: mysqlEchoes(),
    echo: (type) => (isText(type) ? 'SELECT CAST(@Value AS CHAR) AS v' : 'SELECT @Value AS v'),
    table: { schema: database, name: 'items', columns: ['id', 'name', 'note'], view: 'named' },
    escapes: escapesInto(server.files),
  };
}

// text has no type here before it is bound
const isText = ({ name }: SqlType): boolean => name === 'text' || name === 'uuid' || name === 'json';

const tables = [
  `CREATE DATABASE ${database} CHARACTER SET utf8mb4`,
  `USE ${database}`,
  `CREATE TABLE items (id int NOT NULL PRIMARY KEY, name varchar(20) NOT NULL,
    note text COMMENT 'what else there is to say') COMMENT 'what there is'`,
  "INSERT INTO items VALUES (1, 'one', NULL), (2, 'two', 'second')",
  'CREATE VIEW named AS SELECT name FROM items',
  'CREATE TABLE log (number int)',
  'CREATE TABLE plain (number int) ENGINE = MyISAM', // has no transactions
  'CREATE TABLE flags (flag bit(1))',
  "INSERT INTO flags VALUES (b'0'), (b'1')",
  'CREATE SEQUENCE numbers',
  'CREATE PROCEDURE remember(n int) BEGIN INSERT INTO log VALUES (n); SELECT n; END',
  'CREATE FUNCTION sneak(n int) RETURNS int BEGIN INSERT INTO log VALUES (n); RETURN n; END',
  'CREATE FUNCTION sneak_plain(n int) RETURNS int BEGIN INSERT INTO plain VALUES (n); RETURN n; END',
  "CREATE FUNCTION meddle() RETURNS int BEGIN SET SESSION time_zone = '+03:00', sql_mode = 'ANSI_QUOTES', tx_read_only = 0, max_statement_time = 0; SET @left = 1; RETURN 1; END",
  'CREATE FUNCTION sneak_temporary() RETURNS int BEGIN CREATE TEMPORARY TABLE IF NOT EXISTS items (id int); INSERT INTO items VALUES (9); RETURN 1; END',
];

const fingerprint = `
  SELECT (SELECT group_concat(concat_ws(',', id, name, note) ORDER BY id) FROM ${database}.items) AS the_items,
    (SELECT count(*) FROM ${database}.log) AS the_log,
    (SELECT count(*) FROM ${database}.plain) AS the_plain,
    (SELECT next_not_cached_value FROM ${database}.numbers) AS the_numbers,
    (SELECT group_concat(table_schema, '.', table_name ORDER BY 1) FROM information_schema.tables) AS the_tables,
    (SELECT group_concat(routine_name ORDER BY 1) FROM information_schema.routines) AS the_routines,
    (SELECT group_concat(user, host, authentication_string ORDER BY 1) FROM mysql.user) AS the_users,
    (SELECT group_concat(schema_name ORDER BY 1) FROM information_schema.schemata) AS the_schemas,
    (SELECT group_concat(trigger_name) FROM information_schema.triggers) AS the_triggers,
    IS_USED_LOCK('mine') AS the_locks,
    concat_ws(',', @@global.max_connections, @@global.general_log, @@global.sql_mode, @@global.local_infile, @@global.read_only,
      @@global.time_zone, @@global.event_scheduler, @@global.max_statement_time) AS the_settings`;

function escapesInto(files: string): string[] {
  const file = join(files, 'stolen');
  return [
    'SELECT 1; DELETE FROM items',
    'COMMIT; DELETE FROM items',
    'SELECT 1; COMMIT; INSERT INTO log VALUES (1)',
    'DELETE FROM items',
    "INSERT INTO items VALUES (7, 'x', NULL)",
    "INSERT INTO items VALUES (7, 'x', NULL) RETURNING id",
    'DELETE FROM items RETURNING id',
    "REPLACE INTO items VALUES (1, 'x', NULL) RETURNING id",
    "UPDATE items SET note = 'x'",
    'INSERT INTO plain VALUES (1)',
    'ANALYZE DELETE FROM items',
    'ANALYZE FORMAT=JSON DELETE FROM plain',
    'ANALYZE TABLE items PERSISTENT FOR ALL',
    'OPTIMIZE TABLE items',
    'TRUNCATE log',
    'DROP TABLE items',
    'CREATE TABLE stolen AS SELECT * FROM items',
    'CREATE TEMPORARY TABLE stolen AS SELECT * FROM items',
    'CREATE FUNCTION f() RETURNS int RETURN 1',
    'SELECT nextval(numbers)',
    'SELECT setval(numbers, 99)',
    'SELECT NEXT VALUE FOR numbers',
    'SELECT sneak(1)',
    'SELECT sneak_plain(1)',
    'SELECT id FROM items WHERE id = sneak(1)',
    'SELECT * FROM (SELECT sneak(1)) AS s',
    'SELECT meddle(), sneak(1)',
    'SELECT meddle(), sneak_plain(1)',
    'SELECT sneak_temporary()',
    'CALL remember(1)',
    'BEGIN NOT ATOMIC INSERT INTO log VALUES (1); SELECT 1; END',
    "EXECUTE IMMEDIATE 'INSERT INTO log VALUES (1)'",
    `SELECT * FROM items INTO OUTFILE '${file}'`,
    `SELECT * INTO DUMPFILE '${file}' FROM items`,
    `(SELECT 1) INTO OUTFILE '${file}'`,
    `SELECT 1 UNION SELECT 2 INTO OUTFILE '${file}'`,
    `WITH x AS (SELECT 1) SELECT * FROM x INTO OUTFILE '${file}'`,
    `SELECT 1 /*! INTO OUTFILE '${file}' */`,
    `SELECT 1 /*M! INTO OUTFILE '${file}' */`,
    "LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE log",
    `LOAD DATA INFILE '/etc/hostname' INTO TABLE log`,
    'SELECT * FROM items FOR UPDATE',
    'SELECT * FROM items LOCK IN SHARE MODE',
    "SELECT GET_LOCK('mine', 1)",
    'LOCK TABLES items WRITE',
    'FLUSH TABLES WITH READ LOCK',
    'SET GLOBAL max_connections = 77',
    'SET GLOBAL general_log = 1',
    'SET SESSION TRANSACTION READ WRITE',
    'START TRANSACTION READ WRITE',
    'GRANT ALL ON *.* TO reader',
    'SET PASSWORD = PASSWORD("x")',
    'USE mysql',
    'KILL 1',
    'SHUTDOWN',
    "INSTALL SONAME 'ha_blackhole'",
    'HANDLER items OPEN',
    'XA START "x"',
    'SELECT BENCHMARK(10, sneak(1))',
  ];
}
