import type { ColumnDefinition } from '../catalog/query.ts';
import type { ColumnFormat } from '../core/column-format.ts';
import type { LabeledColumn } from '../core/column.ts';
import {
  cacheByColumns,
  type ClassifiedColumn,
  type ColumnClass,
  type ColumnNature,
  type ValuesSeen,
} from '../results/columns.ts';

/**
 * The author's settings decide, then the database's type. Text is never classified as numeric ("02134" is a postcode); the
 * values of the first page decide only if the database declares no type.
 */
export function classifyColumns(
  columns: readonly LabeledColumn[],
  definitions: readonly ColumnDefinition[],
  firstPage: readonly ValuesSeen[] = [],
): readonly ClassifiedColumn[] {
  // the values matter only for undeclared types
  const isDeclared = columns.every(({ kind }) => kind !== 'undeclared');
  return isDeclared ? classifyDeclared(columns, definitions) : classify(columns, definitions, firstPage);
}

const classifyDeclared = cacheByColumns((columns: readonly LabeledColumn[], definitions) => classify(columns, definitions, []));

function classify(
  columns: readonly LabeledColumn[],
  definitions: readonly ColumnDefinition[],
  firstPage: readonly ValuesSeen[],
): readonly ClassifiedColumn[] {
  return columns.map((column, index) => {
    const natural = withFormat(natureOf(column, firstPage[index] ?? 'nothing'), column.format);
    const authorClass = definitions.find((definition) => definition.name === column.name && definition.type)?.type;
    const nature = authorClass ? withAuthorClass(natural, authorClass) : natural;
    return { ...column, class: authorClass ?? classOf(natural), nature: column.format?.kind === 'id' ? 'id' : nature };
  });
}

function natureOf(column: LabeledColumn, seen: ValuesSeen): ColumnNature {
  switch (column.kind) {
    case 'boolean':
      return 'boolean';
    case 'date':
    case 'time':
    case 'timestamp':
    case 'timestamptz':
    case 'interval':
      return 'time';
    case 'integer':
      return classifyWholeNumber(column);
    case 'decimal':
    case 'float':
      return 'number';
    case 'undeclared':
      if (seen === 'whole numbers') return classifyWholeNumber(column);
      if (seen === 'numbers') return 'number';
      return seen === 'booleans' ? 'boolean' : 'text';
    default:
      return 'text';
  }
}

const classifyWholeNumber = (column: LabeledColumn): ColumnNature =>
  isIdName(column.name) || isIdName(column.label) ? 'id' : 'number';

/** Whether a column of this name contains ids or codes. */
export const isIdName = (name: string): boolean =>
  /(^|[_\s.-])(id|uuid|guid|key|code|no|nr|zip|postcode|phone|isbn|ean|sku|pk|rowid)$/i.test(name) ||
  /[a-z](ID|Id|Key|Code|Guid|No|Nr)$/.test(name);

/** With the format of an amount, a column is a number even if it is named like an id; with the format `text`, it has labels. */
function withFormat(nature: ColumnNature, format: ColumnFormat | undefined): ColumnNature {
  if (format === undefined || format.kind === 'id' || classOf(nature) === 'categorical') return nature;
  return format.kind === 'text' ? 'text' : 'number';
}

/** A date classified as categorical stays a time, an id an id; a number becomes text, to serve as a label. */
function withAuthorClass(nature: ColumnNature, authorClass: ColumnClass): ColumnNature {
  if (authorClass === 'numeric') return 'number';
  return nature === 'number' ? 'text' : nature;
}

const classOf = (nature: ColumnNature): ColumnClass => (nature === 'number' || nature === 'id' ? 'numeric' : 'categorical');
