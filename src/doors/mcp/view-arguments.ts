import type { SentView } from '../../pipeline/use-cases/page-view.ts';
import type { JsonSchema } from '../wire/json-schema.ts';
import { flag, optionalChoice, texts, type ToolParts, wholeNumber } from './tool.ts';

export const MAX_ROWS = 1000;

export const rowSize = wholeNumber('Most rows of a page; default: as many as fit you.', 1, MAX_ROWS);

/** How rows are shown: arguments of all tools that return rows. */
export const viewArguments = {
  shape: optionalChoice('table: rows as lists, names once in Columns; half the tokens.', ['rows', 'table']),
  columns: texts('Display names of the columns to return.'),
  fullCells: flag('true: texts over 2,000 characters are not cut.'),
};

/** The same argument with another description. */
export const describeAs = <A extends { readonly schema: JsonSchema }>(argument: A, description: string): A => ({
  ...argument,
  schema: { ...argument.schema, description },
});

/** An argument whose default is the value of the first call. */
export const likeBefore = <A extends { readonly schema: JsonSchema }>(argument: A): A =>
  describeAs(argument, 'Default: as in the first call.');

export const nextViewArguments = {
  shape: likeBefore(viewArguments.shape),
  columns: likeBefore(viewArguments.columns),
  fullCells: likeBefore(viewArguments.fullCells),
};

export const defaultRows = ({ rowsDefault }: Pick<ToolParts, 'rowsDefault'>): number => Math.min(rowsDefault(), MAX_ROWS);

interface SentArguments extends Omit<SentView, 'fits'> {
  readonly rowSize?: number | undefined;
}

/** The first page is sized in bytes unless a number of rows is sent; a next one is like the page before. */
export const readView = ({ rowSize: rows, shape, columns, fullCells }: SentArguments, isNext = false): SentView => ({
  fits: isNext && rows === undefined ? undefined : rows === undefined,
  shape,
  columns,
  fullCells,
});
