import { checkPlaceholders, findPlaceholders } from '../../catalog/placeholders.ts';
import type { QueryDefinition } from '../../catalog/query.ts';
import { type SqlDialect, sqlDialects } from '../../catalog/sql-dialect.ts';
import { parseSqlType } from '../../catalog/sql-type.ts';
import { type Connector, ConnectorError, type ParameterType } from '../../connectors/connector.ts';
import { type FieldProblem, failed, type Result, succeeded } from '../../errors.ts';
import type { Column } from '../../results/column.ts';
import type { DatabaseRecord } from '../../store/metadata-store.ts';
import { sqlInvalid } from '../author-failure.ts';

export function dialectOf({ kind }: DatabaseRecord): SqlDialect {
  const dialect = sqlDialects.find((each) => each === kind);
  if (dialect === undefined) throw new Error(`no SQL dialect for the kind ${kind}`);
  return dialect;
}

/** Checks that the placeholders of a query match its declared parameters. */
export function placeholdersAgree(definition: QueryDefinition, database: DatabaseRecord): Result<null> {
  const { sql, epilogue, parameters } = definition;
  return refusedBy(checkPlaceholders(sql, epilogue, dialectOf(database), parameters));
}

/** Prepares a query and its Epilogue on the database without running them, and returns the result columns. */
export async function describeSql(
  connector: Connector,
  definition: QueryDefinition,
  database: DatabaseRecord,
  signal: AbortSignal,
): Promise<Result<readonly Column[]>> {
  const { sql, columns, epilogue } = definition;
  const discovered = await connector.describe(sql, parameterTypes(sql, definition, database), signal);
  const names = new Set(discovered.map((column) => column.name));
  const misnamed = columns.flatMap(({ name }, index) =>
    names.has(name)
      ? []
      : { field: `columns.${index}.name`, message: `The result has no column ${name}. It has ${[...names].join(', ')}.` },
  );
  const agree = refusedBy(misnamed);
  if (!agree.ok) return agree;
  if (epilogue === undefined) return succeeded(discovered);
  try {
    await connector.checkEpilogue(epilogue, parameterTypes(epilogue, definition, database), signal);
    return succeeded(discovered);
  } catch (error) {
    if (error instanceof ConnectorError && (error.kind === 'invalid' || error.kind === 'failed')) {
      return failed(sqlInvalid(error, 'epilogue'));
    }
    throw error;
  }
}

/** The types of the parameters used in this text. */
function parameterTypes(text: string, { parameters }: QueryDefinition, database: DatabaseRecord): ParameterType[] {
  const used = findPlaceholders(text, dialectOf(database));
  return parameters.flatMap(({ name, dataType }) => {
    const type = used.includes(name) ? parseSqlType(dataType) : null;
    return type === null ? [] : { name, type };
  });
}

const refusedBy = (problems: readonly FieldProblem[]): Result<null> =>
  problems.length === 0 ? succeeded(null) : failed({ kind: 'FieldInvalid', problems });
