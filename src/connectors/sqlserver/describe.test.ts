import { describe, expect, test } from 'vitest';
import { refuseAllButChange, refuseAllButQuery } from './describe.ts';

describe('a query', () => {
  test.each([
    'SELECT 1',
    'SELECT 1;',
    '-- a comment that says DELETE\nSELECT 1 /* and DROP /* nested */ COMMIT */',
    "SELECT 'COMMIT; DROP TABLE x' AS [delete], \"update\" FROM [drop] WHERE a = N'; it''s EXEC'",
    'WITH a AS (SELECT 1 AS x), b AS (SELECT x FROM a) SELECT * FROM b',
    'SELECT 1 UNION ALL SELECT 2 EXCEPT SELECT 3 INTERSECT SELECT 4',
    '(SELECT 1) UNION SELECT 2',
    'SELECT * FROM a WHERE EXISTS (SELECT 1 FROM b) AND c IN (SELECT d FROM e)',
    'SELECT CASE WHEN a = 1 THEN 2 ELSE 3 END FROM b ORDER BY c OFFSET 5 ROWS FETCH NEXT 10 ROWS ONLY',
    "SELECT * FROM a INNER MERGE JOIN b ON a.id = b.id OPTION (MERGE JOIN, USE HINT ('FORCE_ORDER'))",
    'SELECT a.value FROM OPENJSON(@json) AS a FOR JSON PATH',
    'SELECT 1AS one, 2two, 0x1F, 1e5, deleted_at, executed, updates FROM inserts',
    'SELECT\r\n1',
    "SELECT 'a\rb'",
  ])('%s may run', (sql) => {
    expect(() => refuseAllButQuery(sql)).not.toThrow();
  });

  test.each([
    ['', /no statement/],
    [';', /no statement/],
    ['SELECT 1; SELECT 2', /more than one/],
    ['SELECT 1;;', /more than one/],
    ['SELECT 1 SELECT 2', /more than one/],
    ['SELECT (1) SELECT 2', /more than one/],
    ['WITH a AS (SELECT 1 AS x) SELECT x FROM a SELECT 2', /more than one/],
    ['sp_who', /Only a SELECT/],
    ['[sp_who]', /Only a SELECT/],
    ['SELECT 1 COMMIT', /COMMIT/],
    ['SELECT 1COMMIT', /COMMIT/],
    ['SELECT 1.0COMMIT', /COMMIT/],
    ['SELECT 0x1COMMIT', /COMMIT/],
    ['SELECT a.commit FROM a', /COMMIT/],
    ['SELECT 1 AS merge DELETE', /DELETE|MERGE/],
    ['SELECT 1 --\rCOMMIT', /line feed/],
    ['SELECT 1 --\u0085COMMIT', /line feed/],
    ['SELECT * INTO x FROM y', /INTO/],
    ['SELECT NEXT VALUE FOR dbo.numbers', /NEXT VALUE FOR/],
    ['SELECT 1 FETCH NEXT FROM c', /FETCH/],
    ['SELECT 1 USE master', /USE/],
    ['SELECT 1 MERGE a USING b ON 1 = 1 WHEN MATCHED THEN DELETE', /MERGE/],
  ])('%s may not', (sql, message) => {
    expect(() => refuseAllButQuery(sql)).toThrow(
      expect.objectContaining({ kind: 'invalid', message: expect.stringMatching(message) }),
    );
  });
});

describe('an Epilogue', () => {
  test.each([
    'INSERT INTO log VALUES (@Number)',
    'INSERT INTO log SELECT id FROM items UNION SELECT 1',
    "UPDATE items SET note = 'x' WHERE id IN (SELECT 1);",
    'WITH old AS (SELECT * FROM items) DELETE FROM old',
    'INSERT INTO log SELECT id FROM (DELETE FROM items OUTPUT deleted.id) AS gone',
    'MERGE items USING other ON 1 = 1 WHEN MATCHED THEN UPDATE SET a = 1 WHEN NOT MATCHED THEN INSERT (a) VALUES (1)',
  ])('%s may run', (sql) => {
    expect(() => refuseAllButChange(sql)).not.toThrow();
  });

  test.each([
    '',
    'COMMIT',
    'SELECT 1',
    'WITH a AS (SELECT 1 AS x) SELECT * FROM a',
    'INSERT INTO log VALUES (1); INSERT INTO log VALUES (2)',
    'INSERT INTO log VALUES (1) INSERT INTO log VALUES (2)',
    'INSERT INTO log VALUES (1) COMMIT',
    'INSERT INTO log EXEC something',
    'DELETE FROM log DROP TABLE items',
  ])('%s may not', (sql) => {
    expect(() => refuseAllButChange(sql)).toThrow(expect.objectContaining({ kind: 'invalid' }));
  });
});
