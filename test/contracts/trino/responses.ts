import { failureAt, type ReadStatement } from '../../doubles/trino-statement.ts';
import type { Responses, DoubleColumn, DoubleFailure, Script } from '../../doubles/trino.ts';
import { trinoCells, type } from './cells.ts';
import { trinoSql } from './sql.ts';

const pageRows = 10_000;

/** The responses to the statements of the fixture, as Trino sends them. */
export const trinoResponses: Responses = (statement) => {
  const { sql, text } = statement;
  const cell = trinoCells.find((known) => sql === `SELECT ${known.sql} AS cell`);
  if (cell !== undefined) return table([{ name: 'cell', type: cell.type, typeSignature: cell.signature }], [`[${cell.raw}]`]);
  if (sql.includes('nope')) return failureAt(text, text.indexOf('nope'), 'COLUMN_NOT_FOUND', "Column 'nope' cannot be resolved");
  if (sql.includes('SELEC ')) return failureAt(text, text.indexOf('SELEC ') + 6, 'SYNTAX_ERROR', "mismatched input '1'");
  return echo(statement) ?? rowsOf(sql) ?? ownRows(sql) ?? missing(text);
};

function rowsOf(sql: string): Script | undefined {
  const [, limit] = /WHERE n <= (\d+) ORDER BY n$/.exec(sql) ?? [];
  const [, failing] = /IF\(n = (\d+),/.exec(sql) ?? [];
  if (limit !== undefined && sql === trinoSql.series(Number(limit))) return numbers(Number(limit));
  if (failing !== undefined && sql === trinoSql.failingAt(Number(failing))) return failingNumbers(Number(failing));
  if (sql === trinoSql.slow) return { columns: [column('_col0', 'bigint')], page: () => 'wait' };
  if (sql === trinoSql.endless) return { columns: [column('n', 'bigint')], page: (index) => numbersPage(index, pageRows, false) };
  if (sql === trinoSql.empty) return table([column('id', 'bigint'), column('name', 'varchar')], []);
  if (sql === trinoSql.count) return table([column('count', 'bigint')], ['[2]']);
  return undefined;
}

/** Statements of the connector itself. */
function ownRows(sql: string): Script | DoubleFailure | undefined {
  if (sql === 'SELECT ?') return table([column('_col0', 'integer')], ['[1]']);
  if (sql.includes('table_privileges')) {
    return { message: 'This connector does not support roles', errorName: 'NOT_SUPPORTED', errorType: 'USER_ERROR' };
  }
  const texts = (...names: string[]): DoubleColumn[] => names.map((name) => column(name, 'varchar'));
  if (sql.includes('system.jdbc.tables')) {
    return table(texts('table_schem', 'table_name', 'table_type'), ['["shop","items","TABLE"]', '["shop","shown_items","VIEW"]']);
  }
  if (sql.includes('system.jdbc.columns')) {
    return table(texts('table_schem', 'table_name', 'column_name', 'type_name', 'is_nullable', 'remarks'), [
      '["shop","items","id","bigint","NO","The number"]',
      '["shop","items","name","varchar","YES",null]',
      '["shop","shown_items","id","bigint","YES",null]',
    ]);
  }
  if (sql.includes('table_comments'))
    return table(texts('schema_name', 'table_name', 'comment'), ['["shop","items","What we sell"]']);
  return undefined;
}

/** One row of parameters, each parsed as the type that it is cast to. */
function echo({ sql, values }: ReadStatement): Script | undefined {
  if (sql === trinoSql.twice.replaceAll('@Number', 'CAST(? AS integer)').replaceAll('@Missing', 'CAST(? AS integer)')) {
    const [a, b, missingValue] = values;
    const columns = [column('a', 'integer'), column('b', 'integer'), column('c', 'boolean')];
    return table(columns, [`[${a ?? 'null'},${b ?? 'null'},${missingValue === null}]`]);
  }
  const [, mark = ''] = /^SELECT (.+) AS value$/.exec(sql) ?? [];
  const [, called, inner] = /^(json_parse|from_base64)\((.+)\)$/.exec(mark) ?? [];
  const [, cast] = /^CAST\(\? AS (.+)\)$/.exec(inner ?? mark) ?? [];
  if (cast === undefined) return undefined;
  const shown = called === 'json_parse' ? 'json' : called === 'from_base64' ? 'varbinary' : cast;
  const [value = null] = values;
  return table([column('value', shown)], [`[${value === null ? 'null' : rawValue(shown, value)}]`]);
}

function rawValue(shown: string, value: string): string {
  if (/^(tinyint|smallint|integer|bigint|real|double|boolean)$/.test(shown)) return value;
  const [, digits = '0'] = /^(?:time|timestamp)\((\d+)\)/.exec(shown) ?? [];
  const [whole = '', fraction = ''] = value.replace(/ UTC$/, '').split('.');
  if (shown.startsWith('decimal')) return JSON.stringify(value);
  if (shown.startsWith('timestamp') && !/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(whole)) throw new Error(`No timestamp: ${value}`);
  if (digits === '0') return JSON.stringify(value);
  return JSON.stringify(`${whole}.${fraction.padEnd(Number(digits), '0')}${value.endsWith(' UTC') ? ' UTC' : ''}`);
}

const numbers = (count: number): Script => ({
  columns: [column('n', 'bigint'), column('t', 'varchar')],
  page: (index) => numbersPage(index, count, true),
});

const failingNumbers = (row: number): Script => ({
  columns: [column('n', 'bigint')],
  page: (index) =>
    (index + 1) * pageRows < row
      ? numbersPage(index, row, false)
      : { message: "Cannot cast 'x' to BIGINT", errorName: 'INVALID_CAST_ARGUMENT', errorType: 'USER_ERROR' },
});

const pages = new Map<string, string>();

function numbersPage(index: number, limit: number, withText: boolean): string | undefined {
  const first = index * pageRows + 1;
  const count = withText ? Math.min(pageRows, limit - first + 1) : pageRows;
  if (count <= 0) return undefined;
  const key = `${first} ${count} ${withText}`;
  const known = pages.get(key);
  if (known !== undefined) return known;
  const rows = Array.from({ length: count }, (_, row) =>
    withText ? `[${first + row},"row number ${first + row}"]` : `[${first + row}]`,
  );
  const page = `[${rows.join()}]`;
  if (pages.size < 200) pages.set(key, page);
  return page;
}

const table = (columns: readonly DoubleColumn[], rows: readonly string[]): Script => ({
  columns,
  page: (index) => (index === 0 && rows.length > 0 ? `[${rows.join()}]` : undefined),
});

const column = (name: string, shown: string): DoubleColumn => ({
  name,
  type: shown,
  typeSignature: type(shown.replace(/\(.*?\)/, '')),
});

const missing = (text: string): DoubleFailure => failureAt(text, 0, 'TABLE_NOT_FOUND', 'Table does not exist');
