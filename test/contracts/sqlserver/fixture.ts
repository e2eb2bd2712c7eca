import type { OpenRequest } from '../../../src/connectors/connector.ts';
import type { ConnectorFixture, OpenedFixture } from '../connector-contract.ts';
import { sqlserverCells, sqlserverEchoes } from './cells.ts';

const many = 'sys.all_objects a CROSS JOIN sys.all_objects b CROSS JOIN sys.all_objects c';
const numbered = `(SELECT ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) AS n FROM ${many}) s`;

export const connections = 3;

export const requestFor = (connection: Record<string, unknown>, writable = false): OpenRequest => ({
  name: 'test',
  connection,
  settings: {},
  writable,
  context: { fileFolders: [], trustedFiles: [], dataFolder: '', scratchFolder: '', connections },
});

/** The statements of the suite in T-SQL; they also run on a real server. */
export const sqlserverFixture = (open: (options: { writable: boolean }) => Promise<OpenedFixture>): ConnectorFixture => ({
  connections,
  open,
  sql: {
    series: (count) => `SELECT TOP (${count}) n, CONCAT('row number ', n) AS t FROM ${numbered} ORDER BY n`,
    slow: `SELECT COUNT_BIG(*) AS n FROM ${many} CROSS JOIN sys.all_objects d WHERE CHECKSUM(a.name, b.name, c.name, d.name) = 7`,
    endless: `SELECT n FROM ${numbered}`,
    failingAt: (row) =>
      `SELECT TOP (1000000) CAST(CASE WHEN n = ${row} THEN 'x' ELSE CAST(n AS varchar(20)) END AS bigint) AS n FROM ${numbered}`,
    empty: { sql: 'SELECT id, name FROM items WHERE 1 = 0', columns: ['id', 'name'] },
    twice: 'SELECT @Number AS a, @Number AS b, CAST(CASE WHEN @Missing IS NULL THEN 1 ELSE 0 END AS bit) AS c',
    invalid: [
      { sql: 'SELECT nope FROM items', message: /'nope'/, line: 1, column: 8 },
      { sql: "SELECT 'ä€😀',\n  @Number + @Number, nope\nFROM items", message: /'nope'/, line: 2, column: 22 },
      { sql: 'SELECT id\nFROM items\nWHERE WHERE id = @Number', message: /syntax/, line: 3, column: 1 },
      { sql: 'SELECT * FROM missing', message: /missing/, line: 1, column: 15 },
      { sql: '', message: /no statement/ },
      { sql: '-- nothing', message: /no statement/ },
    ],
    refused: [
      'SELECT 1; SELECT 2',
      'SELECT 1 SELECT 2',
      'sp_who',
      'EXEC sp_who',
      'SET NOCOUNT ON',
      'BEGIN TRANSACTION',
      'DECLARE @x int = 1 SELECT @x',
      'INSERT INTO items OUTPUT inserted.id VALUES (99, N$$x$$, NULL)',
    ],
    epilogue: {
      add: 'INSERT INTO log VALUES (@Number)',
      broken: "INSERT INTO log SELECT CAST(CONCAT('x', @Number) AS int)",
      count: 'SELECT COUNT(*) AS n FROM log',
    },
  },
  cells: sqlserverCells(),
  echoes: sqlserverEchoes(),
  echo: () => 'SELECT @Value AS v',
  table: { schema: 'dbo', name: 'items', columns: ['id', 'name', 'note'], view: 'named' },
  escapes: [
    'SELECT 1; DELETE FROM items',
    'SELECT 1 DELETE FROM items',
    'SELECT 1 AS a DELETE FROM items COMMIT',
    'SELECT 1COMMIT',
    'SELECT 1e0DROP TABLE items',
    'SELECT (1)COMMIT TRANSACTION',
    "SELECT 'a'DROP TABLE items",
    'SELECT [a]=1COMMIT WORK',
    'SELECT 1 --\rDELETE FROM items',
    'SELECT 1 --\u2028DELETE FROM items',
    'SELECT 1 /* /* */ */ DELETE FROM items',
    "SELECT '/*' DELETE FROM items --*/'",
    'DELETE FROM items',
    'DELETE items OUTPUT deleted.id',
    "INSERT INTO items VALUES (7, 'x', NULL)",
    "UPDATE items SET note = 'x' OUTPUT inserted.id",
    'WITH x AS (SELECT * FROM items) DELETE FROM x',
    'MERGE items USING items AS other ON items.id = other.id WHEN MATCHED THEN DELETE;',
    'TRUNCATE TABLE items',
    'DROP TABLE items',
    'ALTER TABLE items ADD stolen int',
    'CREATE TABLE stolen (id int)',
    'SELECT * INTO stolen FROM items',
    'SELECT * INTO #stolen FROM items',
    'SELECT * INTO ##stolen FROM items',
    'BEGIN TRANSACTION DELETE FROM items COMMIT TRANSACTION',
    'COMMIT; DELETE FROM items',
    'ROLLBACK SELECT 1',
    'SAVE TRANSACTION x',
    "EXEC('DELETE FROM items')",
    "EXECUTE sp_executesql N'DELETE FROM items'",
    "sp_executesql N'DELETE FROM items'",
    "EXEC xp_cmdshell 'id'",
    "SELECT * FROM OPENROWSET(BULK '/etc/passwd', SINGLE_CLOB) AS f",
    "SELECT * FROM OPENQUERY(other, 'DELETE FROM items')",
    "SELECT * FROM OPENDATASOURCE('SQLNCLI', 'Server=other').master.dbo.items",
    "BULK INSERT items FROM '/etc/passwd'",
    "BACKUP DATABASE master TO DISK = 'stolen.bak'",
    'SELECT NEXT VALUE FOR numbers',
    "WAITFOR DELAY '00:10:00'",
    'SHUTDOWN',
    'KILL 51',
    'USE master',
    'GRANT CONTROL TO public',
    'DBCC FREEPROCCACHE',
    'IF 1 = 1 DELETE FROM items ELSE SELECT 1',
    'SET IMPLICIT_TRANSACTIONS ON',
    'SELECT 1 ALTER DATABASE CURRENT SET RECOVERY SIMPLE',
    'SELECT 1 AS a ENABLE TRIGGER ALL ON DATABASE',
  ],
});
