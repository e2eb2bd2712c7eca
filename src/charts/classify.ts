import type { ColumnDefinition } from '../catalog/query.ts';
import type { ClassifiedColumn, ColumnClass, ColumnNature, ValuesSeen } from '../results/classified-column.ts';
import type { LabelledColumn } from '../results/column.ts';

/**
 * The author's word decides, then the database's type. Numbers are never guessed from text ("02134" is a postcode);
 * only where the database names no type do the values of the first page decide.
 */
export function classifyColumns(
  columns: readonly LabelledColumn[],
  definitions: readonly ColumnDefinition[],
  firstPage: readonly ValuesSeen[] = [],
): readonly ClassifiedColumn[] {
  const before = known.get(columns);
  if (before?.definitions === definitions) return before.classified;
  const classified = classify(columns, definitions, firstPage);
  // where all types are declared, no page makes a difference
  if (columns.every(({ kind }) => kind !== 'undeclared')) known.set(columns, { definitions, classified });
  return classified;
}

const known = new WeakMap<
  readonly LabelledColumn[],
  { definitions: readonly ColumnDefinition[]; classified: readonly ClassifiedColumn[] }
>();

function classify(
  columns: readonly LabelledColumn[],
  definitions: readonly ColumnDefinition[],
  firstPage: readonly ValuesSeen[],
): readonly ClassifiedColumn[] {
  return columns.map((column, index) => {
    const natural = natureOf(column, firstPage[index] ?? 'nothing');
    const word = definitions.find((definition) => definition.name === column.name && definition.type)?.type;
    const nature = word ? bent(natural, word) : natural;
    return { ...column, class: classOf(nature), nature };
  });
}

/** What the wizard starts with, as labels; null where there is no column at all. */
export function chartDefaults(columns: readonly ClassifiedColumn[]): {
  readonly label: string | null;
  readonly data: string | null;
} {
  const first = (nature: ColumnNature) => columns.find((column) => column.nature === nature);
  const label = first('time') ?? first('text') ?? first('boolean') ?? first('id') ?? columns[0];
  const others = columns.filter((column) => column !== label);
  const data =
    others.findLast((column) => column.nature === 'number') ??
    others.find((column) => column.nature === 'id') ??
    others[0] ??
    label;
  return { label: label?.label ?? null, data: data?.label ?? null };
}

function natureOf(column: LabelledColumn, seen: ValuesSeen): ColumnNature {
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
      return wholeNumber(column);
    case 'decimal':
    case 'float':
      return 'number';
    case 'undeclared':
      if (seen === 'whole numbers') return wholeNumber(column);
      if (seen === 'numbers') return 'number';
      return seen === 'booleans' ? 'boolean' : 'text';
    default:
      return 'text';
  }
}

const wholeNumber = (column: LabelledColumn): ColumnNature => (idLike(column.name) || idLike(column.label) ? 'id' : 'number');

const idLike = (name: string) =>
  /(^|[_\s.-])(id|uuid|guid|key|code|no|nr|zip|postcode|phone|isbn|ean|sku|pk|rowid)$/i.test(name) ||
  /[a-z](ID|Id|Key|Code|Guid|No|Nr)$/.test(name);

/** A date that its author calls categorical stays a time; a number so called becomes a text, as a label should. */
function bent(nature: ColumnNature, word: ColumnClass): ColumnNature {
  if (word === 'numeric') return 'number';
  return classOf(nature) === 'categorical' ? nature : 'text';
}

const classOf = (nature: ColumnNature): ColumnClass => (nature === 'number' || nature === 'id' ? 'numeric' : 'categorical');
