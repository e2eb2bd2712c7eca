import { checkPlaceholders, findPlaceholders } from '../catalog/placeholders.ts';
import type { QueryDefinition } from '../catalog/query.ts';
import { type SqlDialect, sqlDialects } from '../catalog/sql-dialect.ts';
import { parseSqlType } from '../catalog/sql-type.ts';
import type { Connector } from '../connectors/connector.ts';
import { type FieldProblem, failed, type Result, succeeded } from '../errors.ts';
import type { Column } from '../results/column.ts';
import type { DatabaseRecord } from '../store/metadata-store.ts';

export function dialectOf({ kind }: DatabaseRecord): SqlDialect {
  const dialect = sqlDialects.find((each) => each === kind);
  if (dialect === undefined) throw new Error(`no SQL dialect for the kind ${kind}`);
  return dialect;
}

/** Whether the placeholders and the declared parameters of a query agree. */
export function placeholdersAgree(definition: QueryDefinition, database: DatabaseRecord): Result<null> {
  const { sql, epilogue, parameters } = definition;
  return refusedBy(checkPlaceholders(sql, epilogue, dialectOf(database), parameters));
}

/** Prepares the statement on its database, without the epilogue, and gives the columns of its result. */
export async function describeSql(
  connector: Connector,
  { sql, parameters, columns }: QueryDefinition,
  database: DatabaseRecord,
  signal: AbortSignal,
): Promise<Result<readonly Column[]>> {
  const used = findPlaceholders(sql, dialectOf(database));
  const types = parameters.flatMap(({ name, dataType }) => {
    const type = used.includes(name) ? parseSqlType(dataType) : null;
    return type === null ? [] : { name, type };
  });
  const discovered = await connector.describe(sql, types, signal);
  const names = new Set(discovered.map((column) => column.name));
  const misnamed = columns.flatMap(({ name }, index) =>
    names.has(name)
      ? []
      : { field: `columns.${index}.name`, message: `The result has no column ${name}. It has ${[...names].join(', ')}.` },
  );
  const agree = refusedBy(misnamed);
  return agree.ok ? succeeded(discovered) : agree;
}

const refusedBy = (problems: readonly FieldProblem[]): Result<null> =>
  problems.length === 0 ? succeeded(null) : failed({ kind: 'FieldInvalid', problems });
