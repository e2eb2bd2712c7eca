import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tsql } from '../../support/databases/freetds.ts';
import { programProblem } from '../../support/debian-packages.ts';
import { startTdsDouble, type TdsDouble } from './server.ts';

const problem = await programProblem('freetds'); // a client that is independent of the connector
const password = 'Pa$$wörd';

describe.skipIf(problem !== null)(`the TDS double, as FreeTDS sees it ${problem ?? ''}`.trim(), () => {
  let double: TdsDouble;
  beforeAll(async () => {
    double = await startTdsDouble({ password });
  });
  afterAll(() => double.close());

  const asked = (...batches: string[]) => tsql({ host: '127.0.0.1', port: double.port, user: 'reader', password }, batches);

  test('logs in, and is refused with another password', async () => {
    expect((await asked()).errors).toBe('');
    expect(double.store.logins.at(-1)).toMatchObject({ user: 'reader', password });
    const refused = await tsql({ host: '127.0.0.1', port: double.port, user: 'reader', password: 'wrong' }, []);
    expect(refused.errors).toMatch(/Msg 18456 .*Login failed for user 'reader'/s);
  });

  test.each([
    ['CAST(255 AS tinyint)', '255'],
    ['CAST(-32768 AS smallint)', '-32768'],
    ['CAST(-2147483648 AS int)', '-2147483648'],
    ['CAST(-9223372036854775808 AS bigint)', '-9223372036854775808'],
    ['CAST(NULL AS int)', 'NULL'],
    ["CAST('-0.05' AS numeric(4,2))", '-0.05'],
    ["CAST('12345678901234567.89' AS decimal(19,2))", '12345678901234567.89'],
    ["CAST('0.1234567890123456789012345678' AS decimal(28,28))", '0.1234567890123456789012345678'],
    ["CAST('-1234567890123456789012345678.0123456789' AS decimal(38,10))", '-1234567890123456789012345678.0123456789'],
    ["CAST('922337203685477.5807' AS money)", '922337203685477.5807'],
    ["CAST('-922337203685477.5808' AS money)", '-922337203685477.5808'],
    ["CAST('-214748.3648' AS smallmoney)", '-214748.3648'],
    ["CAST('1.5' AS float)", '1.5'],
    ["CAST('-0.25' AS real)", '-0.25'],
    ['CAST(1 AS bit)', '1'],
    ["CAST('2026-01-31' AS date)", 'Jan 31 2026 12:00AM'],
    ["CAST('9999-12-31' AS date)", 'Dec 31 9999 12:00AM'],
    ["CAST('23:59:59.9999999' AS time(7))", 'Jan  1 1900 11:59PM'],
    ["CAST('2026-03-29T02:30:00' AS datetime2(4))", 'Mar 29 2026 02:30AM'],
    ["CAST('1753-01-01T00:00:00.003' AS datetime)", 'Jan  1 1753 12:00AM'],
    ["CAST('2026-01-31T09:30:00' AS smalldatetime)", 'Jan 31 2026 09:30AM'],
    ["CAST('2026-01-31T00:30:00.1234567+02:00' AS datetimeoffset(7))", 'Jan 31 2026 12:30AM'],
    ["CAST('plain €' AS varchar(20))", 'plain €'],
    ["CAST(N'grüße 😀' AS varchar(30)) COLLATE Latin1_General_100_CI_AS_SC_UTF8", 'grüße 😀'],
    ["CAST('ab' AS char(4))", 'ab  '],
    ["CAST(N'in parts 😀' AS nvarchar(max))", 'in parts 😀'],
    ["CAST('fünf' AS varchar(max))", 'fünf'],
    ["CAST('old' AS text)", 'old'],
    ["CAST(N'älter' AS ntext)", 'älter'],
    ['CAST(0x00FF61 AS varbinary(max))', '00ff61'],
    ['CAST(0x00FF6162 AS binary(4))', '00ff6162'],
    ["CAST('FF112233-4455-6677-8899-AABBCCDDEEFF' AS uniqueidentifier)", 'FF112233-4455-6677-8899-AABBCCDDEEFF'],
    ["CAST(N'<a>é</a>' AS xml)", '<a>é</a>'],
    ['CAST(12.50 AS sql_variant)', '12.50'],
    ["CAST(N'日本' AS sql_variant)", '日本'],
  ])('reads %s as %s', async (cell, expected) => {
    expect(await asked(`SELECT ${cell} AS cell`)).toEqual({ lines: [expected], errors: '' });
  });

  test('reads rows with NULLs, and many rows in many packets', async () => {
    const { lines } = await asked('SELECT id, name, note FROM items ORDER BY id');
    expect(lines).toEqual(['1\tone\tNULL', '2\ttwo\tsecond']);
    const many = await asked("SELECT TOP (50000) n, CONCAT('row number ', n) AS t FROM numbers ORDER BY n");
    expect(many.lines).toHaveLength(50_000);
    expect(many.lines.at(-1)).toBe('50000\trow number 50000');
  });

  test('reads errors with number, severity and line, also after rows, and continues', async () => {
    const { lines, errors } = await asked(
      'SELECT nope FROM items',
      "SELECT TOP (1000000) CAST(CASE WHEN n = 3 THEN 'x' ELSE CAST(n AS varchar(20)) END AS bigint) AS n FROM numbers",
      'SELECT 7 AS n',
    );
    expect(errors).toMatch(/Msg 207 \(severity 16, state 1\) from double Line 1:\s+"Invalid column name 'nope'\."/);
    expect(errors).toMatch(/Msg 8114 .*Error converting data type varchar to bigint/s);
    expect(lines).toEqual(['1', '2', '7']);
  });

  test('supports transactions', async () => {
    const { lines, errors } = await asked(
      'BEGIN TRANSACTION',
      'SELECT @@TRANCOUNT AS open_transactions',
      'ROLLBACK TRANSACTION',
      'SELECT @@TRANCOUNT AS open_transactions',
    );
    expect({ lines, errors }).toEqual({ lines: ['1', '0'], errors: '' });
  });
});
