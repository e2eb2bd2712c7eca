import { findMisplacedList } from '../../catalog/lists.ts';
import { checkParameterDefinitions } from '../../catalog/parameter-definition.ts';
import { checkPlaceholders, findPlaceholders } from '../../catalog/placeholders.ts';
import type { QueryDefinition } from '../../catalog/query.ts';
import type { SqlDialect } from '../../catalog/sql-dialect.ts';
import { parseSqlType } from '../../catalog/sql-type.ts';
import { type Connector, ConnectorError, type ParameterType } from '../../connectors/connector.ts';
import type { Column } from '../../core/column.ts';
import { type FieldProblem, failed, type Result, succeeded } from '../../core/errors.ts';
import { sqlInvalid } from '../author-failure.ts';

/** Checks the declared parameters, that the placeholders match them, and that lists are where they can be expanded. */
export function placeholdersAgree(
  definition: Pick<QueryDefinition, 'sql' | 'epilogue' | 'parameters'>,
  dialect: SqlDialect,
): Result<null> {
  const { sql, epilogue, parameters } = definition;
  const declared = checkParameterDefinitions(parameters);
  const agree = failOnProblems([...declared, ...checkPlaceholders(sql, epilogue, dialect, parameters)]);
  return agree.ok ? listsAgree(definition, dialect) : agree;
}

export function listsAgree(
  { sql, epilogue, parameters }: Pick<QueryDefinition, 'sql' | 'epilogue' | 'parameters'>,
  dialect: SqlDialect,
): Result<null> {
  const lists = new Set(parameters.filter(({ multiple }) => multiple === true).map(({ name }) => name));
  for (const field of ['sql', 'epilogue'] as const) {
    const text = field === 'sql' ? sql : (epilogue ?? '');
    const token = findMisplacedList(text, dialect, lists);
    if (token === undefined) continue;
    const lines = text.slice(0, token.start).split('\n');
    const position = { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
    const message = `${token.text} is a list. Write it alone in parentheses, as in: region in (${token.text}).`;
    return failed({ kind: 'SqlInvalid', message, field, ...position });
  }
  return succeeded(null);
}

/** Prepares a query and its Epilogue on the database without running them, and returns the result columns. */
export async function describeSql(
  connector: Connector,
  definition: QueryDefinition,
  dialect: SqlDialect,
  signal: AbortSignal,
): Promise<Result<readonly Column[]>> {
  const { sql, columns, epilogue } = definition;
  const discovered = await connector.describe(sql, parameterTypes(sql, definition, dialect), signal);
  const names = new Set(discovered.map((column) => column.name));
  const misnamed = columns.flatMap(({ name }, index) =>
    names.has(name)
      ? []
      : { field: `columns.${index}.name`, message: `The result has no column ${name}. It has ${[...names].join(', ')}.` },
  );
  const agree = failOnProblems(misnamed);
  if (!agree.ok) return agree;
  if (epilogue === undefined) return succeeded(discovered);
  try {
    await connector.checkEpilogue(epilogue, parameterTypes(epilogue, definition, dialect), signal);
    return succeeded(discovered);
  } catch (error) {
    if (error instanceof ConnectorError && (error.kind === 'invalid' || error.kind === 'failed')) {
      return failed(sqlInvalid(error, 'epilogue'));
    }
    throw error;
  }
}

/** The types of the parameters used in this text. */
function parameterTypes(text: string, { parameters }: QueryDefinition, dialect: SqlDialect): ParameterType[] {
  const used = findPlaceholders(text, dialect);
  return parameters.flatMap(({ name, dataType }) => {
    const type = used.includes(name) ? parseSqlType(dataType) : null;
    return type === null ? [] : { name, type };
  });
}

const failOnProblems = (problems: readonly FieldProblem[]): Result<null> =>
  problems.length === 0 ? succeeded(null) : failed({ kind: 'FieldInvalid', problems });
