/** Rows n from 1 on; a sequence has 10,000 members at most. */
const numbered = (count: number): string =>
  `(SELECT (a - 1) * 10000 + b AS n FROM UNNEST(sequence(1, ${Math.ceil(count / 10_000)})) AS x(a) ` +
  'CROSS JOIN UNNEST(sequence(1, 10000)) AS y(b)) AS numbers';

const manyThousands =
  'FROM UNNEST(sequence(1, 10000)) AS x(a) CROSS JOIN UNNEST(sequence(1, 10000)) AS y(b) CROSS JOIN UNNEST(sequence(1, 10000)) AS z(c)';

export const trinoSql = {
  series: (count: number): string =>
    `SELECT n, 'row number ' || CAST(n AS varchar) AS t FROM ${numbered(count)} WHERE n <= ${count} ORDER BY n`,
  slow: `SELECT count(*) ${manyThousands} WHERE (a * 31 + b * 7 + c) % 1000003 = 7`,
  endless: `SELECT a * 100000000 + b * 10000 + c AS n ${manyThousands}`,
  failingAt: (row: number): string =>
    `SELECT CAST(IF(n = ${row}, 'x', CAST(n AS varchar)) AS bigint) AS n FROM ${numbered(1_000_000)}`,
  empty: 'SELECT id, name FROM items WHERE false',
  twice: 'SELECT @Number AS a, @Number AS b, @Missing IS NULL AS c',
  count: 'SELECT count(*) AS count FROM items',
};

/** None is a query: Trino would run each of them for an account that may. */
export const trinoRefused = [
  "INSERT INTO items VALUES (3, 'x')",
  'DELETE FROM items',
  "UPDATE items SET name = 'x'",
  'MERGE INTO items USING items AS b ON false WHEN NOT MATCHED THEN INSERT VALUES (1, NULL)',
  'CREATE TABLE stolen AS SELECT * FROM items',
  'CREATE TABLE stolen (a bigint)',
  'CREATE VIEW stolen AS SELECT 1 AS a',
  'CREATE SCHEMA stolen',
  'DROP TABLE items',
  'DROP SCHEMA shop CASCADE',
  'TRUNCATE TABLE items',
  'ALTER TABLE items RENAME TO stolen',
  'ALTER TABLE items ADD COLUMN x bigint',
  "COMMENT ON TABLE items IS 'x'",
  'ANALYZE items',
  'GRANT SELECT ON items TO someone',
  'REVOKE SELECT ON items FROM someone',
  'DENY SELECT ON items TO someone',
  'CREATE ROLE stolen',
  'SET ROLE ALL',
  'SET SESSION query_max_run_time = NULL',
  'RESET SESSION query_max_run_time',
  'SET TIME ZONE LOCAL',
  'SET PATH memory.shop',
  'USE memory.shop',
  'START TRANSACTION',
  'COMMIT',
  'ROLLBACK',
  "CALL system.runtime.kill_query(query_id => 'x', message => 'y')",
  'PREPARE stolen FROM DELETE FROM items',
  'EXECUTE stolen',
  "EXECUTE IMMEDIATE 'DELETE FROM items'",
  'DEALLOCATE PREPARE stolen',
  'EXPLAIN ANALYZE DELETE FROM items',
  'EXPLAIN SELECT 1',
  'SHOW TABLES',
  'DESCRIBE items',
  'CREATE FUNCTION f() RETURNS bigint RETURN 1',
  'REFRESH MATERIALIZED VIEW items',
  'CREATE CATALOG stolen USING memory',
  'SELECT 1; DELETE FROM items',
  'SELECT 1) SELECT * FROM sluice_query; DELETE FROM items; SELECT (1',
  'SELECT 1), stolen AS (SELECT 2',
  ') SELECT 1 --',
  '/* SELECT */ DELETE FROM items -- SELECT 1',
  '',
  '-- nothing',
];
