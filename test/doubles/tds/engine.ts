import { type ApiResponse, column } from './answer.ts';
import { evaluate, parseSelectList, type Variables } from './expressions.ts';
import { SqlFailure } from './failure.ts';
import { ownAnswer } from './own-statements.ts';
import type { Row } from './tokens.ts';

/** Runs a statement of an author. Throws SqlFailure. */
export function response(sql: string, variables: Variables): ApiResponse {
  for (const [pattern, make] of known) {
    const found = pattern.exec(sql);
    if (found !== null) return make(found, variables);
  }
  const list = parseSelectList(sql)?.map(({ expression, name }) => ({ name, value: evaluate(expression, variables) }));
  if (list === undefined || list.some(({ value }) => value === undefined)) throw new SqlFailure(syntaxError(sql));
  return {
    columns: list.map(({ name, value }) => column(name, value?.type ?? 'int')),
    rows: [list.map(({ value }) => value?.text ?? null)],
  };
}

/** Runs a batch of the connector or of another client. */
export function batchAnswers(sql: string, user: string): ApiResponse[] {
  return ownAnswer(sql, user) ?? [response(sql, new Map())];
}

const syntaxError = (sql: string) => ({
  number: 102,
  message: `Incorrect syntax near '${sql.trim().split(/\s/)[0]}'.`,
  severity: 15,
});
const failure =
  (number: number, message: string, line = 1): (() => never) =>
  () => {
    throw new SqlFailure({ number, message, line });
  };

type Known = readonly [RegExp, (found: RegExpExecArray, variables: Variables) => ApiResponse];

const known: readonly Known[] = [
  [/^SELECT TOP \((\d+)\) n, CONCAT\('row number ', n\) AS t FROM/, ([, count]) => series(Number(count))],
  [/^SELECT n FROM \(SELECT ROW_NUMBER/, () => ({ columns: [column('n', 'bigint')], rows: numbers(Number.POSITIVE_INFINITY) })],
  [/^SELECT COUNT_BIG\(\*\) AS n FROM .* WHERE CHECKSUM/s, () => ({ columns: [column('n', 'bigint')], slow: true })],
  [/WHEN n = (\d+) THEN 'x' ELSE/, ([, row]) => ({ columns: [column('n', 'bigint')], rows: failAt(Number(row)) })],
  [
    /^SELECT id, name FROM items WHERE 1 = 0$/,
    () => ({ columns: [column('id', 'int'), column('name', 'nvarchar(50)')], rows: [] }),
  ],
  [/^SELECT id, name, note FROM items ORDER BY id$/, () => items],
  [/^SELECT region AS label, id AS value FROM orders WHERE region (?:= |(NOT )?IN \()([@\w, ]+)\)? ORDER BY id$/, orders],
  [/^SELECT COUNT\(\*\) AS n FROM log$/, () => ({ columns: [column('n', 'int')], count: true })],
  [/^INSERT INTO log SELECT dbo\.remembers\(\)$/, () => ({ adds: '1' })],
  [/^INSERT INTO log SELECT dbo\.remembers\(\) \/ 0$/, () => ({ rows: failAt(1) })],
  [/^SELECT dbo\.remembered\(\) AS n$/, () => ({ columns: [column('n', 'int')], remembered: true })],
  [/^INSERT INTO log (?:VALUES \((.*)\)|SELECT (.*))$/, insert],
  [/\bnope\b/, (found) => failure(207, "Invalid column name 'nope'.", found.input.includes('\n') ? 2 : 1)()],
  [/^SELECT dbo\.commits\(\) AS n$/, () => ({ ...one, commits: true })],
  [/^SELECT dbo\.twice\(\) AS n$/, () => ({ ...one, next: one })],
  [/WHERE WHERE/, failure(156, "Incorrect syntax near the keyword 'WHERE'.", 3)],
  [/FROM missing/, failure(208, "Invalid object name 'missing'.")],
  [/^SELECT REPLICATE\(CAST\(N'ä' AS nvarchar\(max\)\), (\d+)\) AS v$/, ([, count]) => large('ä', Number(count))],
];

const one: ApiResponse = { columns: [column('n', 'int')], rows: [['1']] };

const items: ApiResponse = {
  ordered: true,
  columns: [column('id', 'int'), column('name', 'nvarchar(50)'), column('note', 'nvarchar(max)')],
  rows: [
    ['1', 'one', null],
    ['2', 'two', 'second'],
  ],
};

/** Twelve orders, whose regions take turns. */
function orders([, not, names = '']: RegExpExecArray, variables: Variables): ApiResponse {
  const values = names.split(',').map((name) => evaluate(name, variables)?.text ?? null);
  const isWanted = (region: string): boolean =>
    not === undefined ? values.includes(region) : !values.includes(region) && !values.includes(null);
  const rows = Array.from(
    { length: 12 },
    (_, index) => [['North', 'South', 'East'][index % 3] ?? '', String(index + 1)] as const,
  );
  return {
    columns: [column('label', 'nvarchar(20)'), column('value', 'int')],
    rows: rows.filter(([region]) => isWanted(region)),
  };
}

const large = (letter: string, count: number): ApiResponse => ({
  columns: [column('v', 'nvarchar(max)')],
  rows: [[letter.repeat(count)]],
});

function series(count: number): ApiResponse {
  function* rows(): Iterable<Row> {
    for (let n = 1; n <= count; n++) yield [String(n), `row number ${n}`];
  }
  return { columns: [column('n', 'bigint'), column('t', 'varchar(31)')], rows: rows(), ordered: true };
}

function* numbers(count: number): Iterable<Row> {
  for (let n = 1; n <= count; n++) yield [String(n)];
}

function* failAt(row: number): Iterable<Row> {
  yield* numbers(row - 1);
  throw new SqlFailure({ number: 8114, message: 'Error converting data type varchar to bigint.' });
}

function insert(found: RegExpExecArray, variables: Variables): ApiResponse {
  const value = evaluate(found[1] ?? found[2] ?? '', variables);
  if (value === undefined) throw new SqlFailure(syntaxError(found.input));
  return { adds: String(value.text) };
}
