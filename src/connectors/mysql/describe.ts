import type { Column } from '../../results/column.ts';
import { type ParameterType, unbound } from '../connector.ts';
import { columnOf, columnsOf } from './columns.ts';
import { renderParameters } from './parameters.ts';
import { prepareEpilogue, prepareSelect } from './prepare.ts';
import type { Session } from './session.ts';

/** Preparing returns the columns without running the statement. */
export async function describe(session: Session, sql: string, parameters: readonly ParameterType[]): Promise<readonly Column[]> {
  const columnsWith = async (bareText?: string): Promise<readonly Column[]> => {
    const { columns } = await prepareSelect(session, renderParameters(sql, parameters.map(unbound), bareText));
    return columnsOf(columns.map(columnOf));
  };
  const columns = await columnsWith();
  if (columns.every(({ kind }) => kind !== 'undeclared')) return columns;
  // a text parameter has no type before it is bound; an empty string has one
  const typed = await columnsWith("''");
  return columns.map((column, index) => ({ ...(typed[index] ?? column), name: column.name }));
}

export async function checkEpilogue(session: Session, sql: string, parameters: readonly ParameterType[]): Promise<void> {
  await prepareEpilogue(session, renderParameters(sql, parameters.map(unbound)));
}
