const numbered = (count: number): string => `FROM system.numbers LIMIT ${count}`;

export const clickHouseSql = {
  series: (count: number): string =>
    `SELECT number + 1 AS n, concat('row number ', toString(number + 1)) AS t ${numbered(count)}`,
  slow: 'SELECT count() AS c FROM system.numbers WHERE cityHash64(number) % 1000003 = 7',
  endless: 'SELECT number + 1 AS n FROM system.numbers',
  failingAt: (row: number): string =>
    `SELECT toUInt64(if(number + 1 = ${row}, 'x', toString(number + 1))) AS n ${numbered(1_000_000)}`,
  empty: 'SELECT id, name FROM shop.items WHERE id > 1000',
  twice: 'SELECT @Number AS a, @Number AS b, CAST(@Missing IS NULL AS Bool) AS c',
  count: 'SELECT count() AS count FROM shop.items',
};

/** Texts that are not a single SELECT. */
export const clickHouseRefused = [
  "INSERT INTO shop.items VALUES (3, 'x')",
  'INSERT INTO shop.items SELECT * FROM shop.items',
  "INSERT INTO FUNCTION file('stolen.csv', 'CSV', 'a String') SELECT 'x'",
  'CREATE TABLE shop.stolen (a Int8) ENGINE = Memory',
  'CREATE TABLE shop.stolen ENGINE = Memory AS SELECT 1 AS a',
  'CREATE TEMPORARY TABLE stolen (a Int8)',
  'CREATE VIEW shop.stolen AS SELECT 1 AS a',
  'CREATE DATABASE stolen',
  'ATTACH TABLE shop.stolen (a Int8) ENGINE = Log',
  'DETACH TABLE shop.items',
  'DROP TABLE shop.items',
  'DROP DATABASE shop',
  'RENAME TABLE shop.items TO shop.stolen',
  'ALTER TABLE shop.items ADD COLUMN x Int8',
  'ALTER TABLE shop.items DELETE WHERE 1',
  'TRUNCATE TABLE shop.items',
  'OPTIMIZE TABLE shop.items',
  'SET readonly = 0',
  'SET max_execution_time = 0',
  'USE system',
  'SYSTEM SHUTDOWN',
  'SYSTEM RELOAD CONFIG',
  'SYSTEM FLUSH LOGS',
  'KILL QUERY WHERE 1',
  'KILL MUTATION WHERE 1',
  'SHOW TABLES',
  'SHOW PROCESSLIST',
  'DESCRIBE TABLE shop.items',
  'EXISTS TABLE shop.items',
  'EXPLAIN SELECT 1',
  'GRANT ALL ON *.* TO reader',
  'CREATE USER stolen',
  "SELECT 1 INTO OUTFILE 'stolen.txt'",
  'SELECT 1 FORMAT CSV',
  'SELECT 1 SETTINGS readonly = 0 FORMAT CSV',
  'SELECT 1; DROP TABLE shop.items',
  'SELECT 1) AS x; DROP TABLE shop.items; SELECT (1',
  'SELECT 1), (SELECT 2',
  ') --',
  '/* SELECT */ DROP TABLE shop.items -- SELECT 1',
  '',
  '-- nothing',
];

export const clickHouseEscapes = [
  ...clickHouseRefused,
  "SELECT * FROM file('/etc/passwd', 'CSV', 'a String')",
  "SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'a String')",
  "SELECT * FROM remote('127.0.0.1:1', system.one)",
  'SELECT 1 SETTINGS readonly = 0',
  'SELECT 1 SETTINGS max_execution_time = 0',
];
