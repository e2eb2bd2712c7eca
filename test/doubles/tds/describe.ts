import { type ApiResponse, column } from './answer.ts';
import { response } from './engine.ts';
import type { Variables } from './expressions.ts';
import { SqlFailure } from './failure.ts';

const undetermined = {
  number: 11_529,
  message: 'The metadata could not be determined because every code path results in an error; see previous errors.',
};

const columns = [
  column('is_hidden', 'bit'),
  column('column_ordinal', 'int'),
  column('name', 'sysname'),
  column('is_nullable', 'bit'),
  column('system_type_id', 'int'),
  column('system_type_name', 'nvarchar(256)'),
  column('max_length', 'smallint'),
  column('precision', 'tinyint'),
  column('scale', 'tinyint'),
  column('collation_name', 'sysname'),
  column('user_type_id', 'int'),
  column('user_type_database', 'sysname'),
  column('user_type_schema', 'sysname'),
  column('user_type_name', 'sysname'),
];

/** The result of `sp_describe_first_result_set` for a statement. */
export function describeAnswer(sql: string, variables: Variables): ApiResponse {
  return {
    columns,
    rows: describedColumns(sql, variables).map(({ name, type }, index) => describedRow(name, type.spelling, index)),
  };
}

function describedColumns(sql: string, variables: Variables): NonNullable<ApiResponse['columns']> {
  try {
    return response(sql, variables).columns ?? [];
  } catch (error) {
    if (error instanceof SqlFailure && error.error.number !== 245) throw new SqlFailure(error.error, [undetermined]);
    if (error instanceof SqlFailure) return []; // a conversion fails when it runs
    throw error;
  }
}

const describedRow = (name: string, type: string, index: number) => [
  '0',
  String(index + 1),
  name,
  '1',
  '0',
  type,
  '0',
  '0',
  '0',
  ...Array<null>(5).fill(null),
];
