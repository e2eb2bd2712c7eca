import type { SentView } from '../../pipeline/use-cases/page-view.ts';
import type { JsonSchema } from '../wire/json-schema.ts';
import { choice, textList, toggle, wholeNumber } from '../wire/values.ts';
import { describeToModel, type ToolParts } from './tool.ts';

export const MAX_ROWS = 1000;

export const rowSize = describeToModel(wholeNumber(1, MAX_ROWS), 'Most rows of a page; default: as many as fit you.');

/** How rows are shown: arguments of all tools that return rows. */
export const viewArguments = {
  shape: describeToModel(choice(['rows', 'table']), 'table: rows as lists, names once in Columns; half the tokens.'),
  columns: describeToModel(textList, 'Display names of the columns to return.'),
  fullCells: describeToModel(toggle, 'true: texts over 2,000 characters are not cut.'),
};

/** An argument whose default is the value of the first call. */
export const likeBefore = <A extends { readonly modelSchema: JsonSchema }>(argument: A): A =>
  describeToModel(argument, 'Default: as in the first call.');

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
