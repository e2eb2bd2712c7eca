import {
  type ColumnFormat,
  decimalsOf,
  isNumeric as isDecimal,
  locale,
  valueText,
  writesDigits,
} from '../../src/core/column-format.ts';
import type { Row } from '../app/wire.ts';
import { type Cell, cellOf, scaleOf } from './cell-text.ts';
import { type GridColumn, isNumeric } from './grid-column.ts';

/** A cell as shown; `isRounded` if the value has more digits. */
export interface ShownCell extends Cell {
  readonly isRounded?: boolean;
}

export type CellFormat = (value: unknown) => ShownCell;

/**
 * How the cells of a column are shown: in its author's format, otherwise numbers with thousands separators, except ids, codes and
 * years. What can be copied and exported stays as delivered.
 */
export function cellFormat(column: GridColumn, rows: readonly Row[]): CellFormat {
  const values = rows.map((row) => row[column.label]);
  const format = formatOf(column, values);
  return (value) => {
    const cell = cellOf(value, column);
    return value === null || value === undefined || format === null ? cell : { ...cell, ...format(value, cell.text) };
  };
}

/** The text of a value that is not null. */
type Format = (value: unknown, raw: string) => { readonly text: string; readonly isRounded?: boolean };

function formatOf(column: GridColumn, values: readonly unknown[]): Format | null {
  const { format } = column;
  if (format !== undefined && (isNumeric(column) || column.kind === '' || column.kind === 'undeclared'))
    return writesDigits(format) ? authorFormat(format, column) : null;
  if (isNumeric(column)) return isCode(column, values) ? null : numberFormat(column);
  switch (column.kind) {
    case 'date':
      return dateFormat();
    case 'timestamp':
      return timestampFormat(values);
    case 'timestamptz':
      return instantFormat();
    default:
      return null;
  }
}

const WHOLE = /^-?\d+$/;
const MAX_FRACTION = 20;
const SHOWN_DECIMALS = 6; // of a floating point number
const PLAIN_FROM = 1e-6;
const PLAIN_TO = 1e15;

/** The value is in the tooltip of the cell where it has more digits, or is shown in another unit. */
function authorFormat(format: ColumnFormat, column: GridColumn): Format {
  const plain = numberFormat(column);
  const hasOwnDigits = format.kind !== 'number' || format.decimals !== undefined;
  const unit = format.unit === undefined ? '' : ` ${format.unit}`;
  const write = valueText(format);
  const { most } = decimalsOf(format);
  const isSame = format.kind === 'number' || format.kind === 'currency';
  return (value, raw) => {
    if (!hasOwnDigits) {
      const shown = plain(value, raw);
      return { ...shown, text: shown.text + unit };
    }
    if (!isDecimal(raw)) return { text: raw };
    return { text: write(raw), isRounded: !isSame || Number(raw.split('.')[1]?.slice(most) ?? 0) > 0 };
  };
}

function numberFormat({ kind, type }: GridColumn): Format {
  const scale = kind === 'decimal' ? Math.min(scaleOf(type), MAX_FRACTION) : 0;
  const exact = new Intl.NumberFormat(locale, { minimumFractionDigits: scale, maximumFractionDigits: MAX_FRACTION });
  const large = new Intl.NumberFormat(locale, { maximumFractionDigits: SHOWN_DECIMALS });
  const small = new Intl.NumberFormat(locale, { maximumSignificantDigits: SHOWN_DECIMALS });
  return (value, raw) => {
    if (typeof value === 'number' && kind === 'float') {
      const size = Math.abs(value);
      if (size !== 0 && (size < PLAIN_FROM || size >= PLAIN_TO)) return { text: raw };
      const text = (size >= 1 ? large : small).format(value);
      return text === exact.format(value) ? { text } : { text, isRounded: true };
    }
    if (!isDecimal(raw) || (raw.split('.')[1]?.length ?? 0) > MAX_FRACTION) return { text: raw };
    // a text is formatted digit by digit, a number would be rounded
    return { text: exact.format(raw) };
  };
}

const codeWords = new Set(
  (
    'id ids identifier key code codes no nr num number nummer year years jahr año ano année zip plz postcode postal phone telephone ' +
    'tel mobile fax sku ean gtin upc isbn iban account version port pin ref reference serial hash barcode batch lot'
  ).split(' '),
);
const notIds = new Set('paid unpaid prepaid bid valid invalid void grid solid liquid fluid hybrid mid aid raid'.split(' '));
const shortNumbers = /(?:order|cust|customer|emp|dept|item|invoice|product|part|acct|account|serial|doc|article)(?:no|nr|num)$/;

/** Whether the numbers name something instead of counting it: an id, a code, a year. */
function isCode({ label, name = label, class: columnClass }: GridColumn, values: readonly unknown[]): boolean {
  if (columnClass === 'categorical') return true;
  return isCodeName(name) || isCodeName(label) || areYears(values);
}

function isCodeName(name: string): boolean {
  const words = name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  const last = words.at(-1) ?? '';
  return codeWords.has(last) || shortNumbers.test(last) || (last.endsWith('id') && !notIds.has(last));
}

/** A wrong guess costs a separator in a column that has no other numbers. */
function areYears(values: readonly unknown[]): boolean {
  const present = values.filter((value) => value !== null && value !== undefined);
  return (
    present.length > 0 && present.every((value) => WHOLE.test(String(value)) && Number(value) >= 1900 && Number(value) <= 2100)
  );
}

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const MOMENT = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.(\d+))?(Z?)$/;

function dateFormat(): Format {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  return (value, raw) => {
    const time = DAY.test(String(value)) ? Date.parse(`${String(value)}T00:00:00Z`) : Number.NaN;
    return { text: Number.isNaN(time) ? raw : format.format(time) };
  };
}

/** Times that are midnight in every row are left out, likewise seconds that are zero. */
function timestampFormat(values: readonly unknown[]): Format {
  const present = values.filter((value) => value !== null && value !== undefined).map(String);
  const allMatch = (pattern: RegExp) => present.length > 0 && present.every((text) => pattern.test(text));
  const timeStyle = allMatch(/T00:00:00$/) ? null : allMatch(/:00$/) ? 'short' : 'medium';
  const style = { dateStyle: 'medium', timeZone: 'UTC' } as const;
  return momentFormat(new Intl.DateTimeFormat(locale, timeStyle === null ? style : { ...style, timeStyle }));
}

/** In the time zone of the reader, which is named. */
function instantFormat(): Format {
  const day = { year: 'numeric', month: 'short', day: 'numeric' } as const;
  const time = { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'short' } as const;
  return momentFormat(new Intl.DateTimeFormat(locale, { ...day, ...time }));
}

function momentFormat(format: Intl.DateTimeFormat): Format {
  return (value, raw) => {
    const [, day, time, fraction = ''] = MOMENT.exec(String(value)) ?? [];
    const at = day === undefined ? Number.NaN : Date.parse(`${day}T${time}Z`);
    if (Number.isNaN(at)) return { text: raw };
    const parts = format.formatToParts(at);
    const text = parts.map(({ type, value: part }) => (type === 'second' && fraction !== '' ? `${part}.${fraction}` : part));
    return { text: text.join('').replace('\u202f', ' ') }; // a space that can be typed in a filter
  };
}
