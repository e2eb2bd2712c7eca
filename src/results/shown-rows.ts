import type { LabeledColumn } from '../core/column.ts';
import { FailureError, fieldInvalid } from '../core/errors.ts';
import { ByteWriter } from './byte-writer.ts';
import { estimateTokens } from './estimate-tokens.ts';

/** How a page shows stored rows. */
export interface RowView {
  readonly isTable: boolean; // a row is the list of its cells, without keys
  readonly columns?: readonly string[] | string | undefined; // labels, ignoring case, or the `columns` of an earlier page; left out: all
  readonly cutsCells: boolean; // long texts are cut
  readonly maxTokens?: number | undefined; // estimated; left out: only bytes count
}

/** The rows of a page as they are sent: separated by commas, without brackets. */
export interface Shown {
  readonly rows: Buffer;
  readonly labels: readonly string[];
  readonly columns: string | undefined; // which columns are shown, for the next page; undefined: all
  readonly cutCells: number;
  readonly isTooLarge: boolean; // its only row is larger than a page
}

/** Collects the rows of a page from their stored JSON, cell by cell and without parsing them: every digit stays as it is. */
export class ShownRows {
  rowCount = 0;
  #cutCells = 0;
  #tokens = 0;
  #countedBytes = 0;
  readonly #columns: readonly LabeledColumn[];
  readonly #view: RowView;
  readonly #maxBytes: number;
  readonly #shown: ReadonlySet<number> | null; // null: all columns
  #cells: readonly Cell[] | null = null; // most pages are copied row by row
  readonly #out = new ByteWriter(1 << 11);

  /** Throws a FailureError if a column is unknown. */
  constructor(columns: readonly LabeledColumn[], view: RowView, maxBytes: number) {
    const shown = view.columns === undefined ? null : findColumns(columns, view.columns);
    this.#columns = columns;
    this.#view = view;
    this.#maxBytes = maxBytes;
    this.#shown = shown === null || shown.size === columns.length ? null : shown;
  }

  /** Adds the row at `start` to `end`, or returns false: the page is full. Its first row always fits. */
  add(bytes: Uint8Array, start: number, end: number): boolean {
    const out = this.#out;
    const before = out.length;
    const cutBefore = this.#cutCells;
    if (this.rowCount > 0) out.ascii(',');
    if (this.#isUnchanged(end - start)) out.copyRange(bytes, start, end);
    else this.#write(bytes, start);
    if (this.rowCount > 0 && (out.length > this.#maxBytes || this.#hasTooManyTokens())) {
      out.length = before;
      this.#cutCells = cutBefore;
      return false;
    }
    this.rowCount++;
    return true;
  }

  end(): Shown {
    const isShown = (_: unknown, index: number): boolean => this.#shown?.has(index) ?? true;
    return {
      rows: this.#out.view(),
      labels: this.#columns.filter(isShown).map(({ label }) => label),
      columns: this.#shown === null ? undefined : toMask(this.#columns.map(isShown)),
      cutCells: this.#cutCells,
      isTooLarge: this.#out.length > this.#maxBytes,
    };
  }

  /** A token has at least one byte: short pages are not counted. */
  #hasTooManyTokens(): boolean {
    const { maxTokens = Number.POSITIVE_INFINITY } = this.#view;
    const { bytes, length } = this.#out;
    if (length <= maxTokens) return false;
    this.#tokens += estimateTokens(bytes, this.#countedBytes, length);
    this.#countedBytes = length;
    return this.#tokens > maxTokens;
  }

  /** A text has at least one byte for each character. */
  #isUnchanged(length: number): boolean {
    const { isTable, cutsCells } = this.#view;
    return !isTable && this.#shown === null && (!cutsCells || length <= MOST_CHARACTERS);
  }

  #write(bytes: Uint8Array, start: number): void {
    const out = this.#out;
    let at = start;
    let isEmpty = true;
    this.#cells ??= toCells(this.#columns, this.#view, this.#shown);
    for (const { keyBytes, before, isCut } of this.#cells) {
      const from = at + keyBytes;
      at = findEnd(bytes, from);
      if (before === null) continue;
      isEmpty = false;
      out.copy(before);
      const cut = isCut && bytes[from] === quote && at - from > MOST_CHARACTERS ? findCut(bytes, from + 1, at - 1) : null;
      out.copyRange(bytes, from, cut ?? at);
      if (cut === null) continue;
      out.utf8('…"');
      this.#cutCells++;
    }
    const [open, close] = this.#view.isTable ? '[]' : '{}';
    out.ascii(`${isEmpty ? open : ''}${close}`);
  }
}

interface Cell {
  readonly keyBytes: number; // in the stored row
  readonly before: Buffer | null; // in the shown row; null: left out
  readonly isCut: boolean;
}

function toCells(
  columns: readonly LabeledColumn[],
  { isTable, cutsCells }: RowView,
  shown: ReadonlySet<number> | null,
): readonly Cell[] {
  let separator = isTable ? '[' : '{';
  return columns.map(({ label, kind }, index) => {
    const key = `${JSON.stringify(label)}:`;
    const isShown = shown?.has(index) ?? true;
    const before = isShown ? Buffer.from(isTable ? separator : separator + key) : null;
    if (isShown) separator = ',';
    const keyBytes = Buffer.byteLength(key) + 1; // with the brace or comma before it
    return { keyBytes, before, isCut: cutsCells && kind !== 'json' };
  });
}

/** A longer text is cut to this length, in code points. */
export const MOST_CHARACTERS = 2000;

/** The index after the value: at the comma or brace that follows it. */
function findEnd(bytes: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; ; at++) {
    const byte = bytes[at];
    if (byte === quote) at = findQuote(bytes, at + 1);
    else if (byte === openBrace || byte === openBracket) depth++;
    else if (depth === 0 && (byte === comma || byte === closeBrace || byte === undefined)) return at;
    else if (byte === closeBrace || byte === closeBracket) depth--;
  }
}

function findQuote(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}

/** Where the inside of a JSON string is to be cut; null if it is not too long. */
function findCut(bytes: Uint8Array, start: number, end: number): number | null {
  let count = 0;
  for (let at = start; at < end; count++) {
    if (count === MOST_CHARACTERS) return at;
    if (bytes[at] === backslash) at += bytes[at + 1] === letterU ? 6 : 2; // a pair of surrogates is never escaped
    else for (at++; ((bytes[at] ?? 0) & 0xc0) === 0x80;) at++; // to the end of the character
  }
  return null;
}

function findColumns(columns: readonly LabeledColumn[], wanted: readonly string[] | string): ReadonlySet<number> {
  if (typeof wanted === 'string') return findInMask(columns.length, Buffer.from(wanted, 'base64url'));
  const labels = new Set(columns.map(({ label }) => label));
  const folded = new Set(columns.map(({ label }) => label.toLowerCase()));
  const unknown = wanted.filter((name) => !folded.has(name.toLowerCase()));
  if (unknown.length > 0) throw new FailureError(fieldInvalid('columns', describeUnknownColumns(unknown, [...labels])));
  const exact = new Set(wanted.filter((name) => labels.has(name)));
  const ignoringCase = new Set(wanted.filter((name) => !labels.has(name)).map((name) => name.toLowerCase()));
  const isWanted = ({ label }: LabeledColumn) => exact.has(label) || ignoringCase.has(label.toLowerCase());
  return new Set(columns.flatMap((column, index) => (isWanted(column) ? [index] : [])));
}

/** For a model: not longer than it can use. */
export function describeUnknownColumns(unknown: readonly string[], known: readonly string[]): string {
  const quote = (names: readonly string[], most: number): string => {
    const quoted = names.slice(0, most).map((name) => JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name));
    return quoted.join(', ') + (names.length > most ? ` and ${names.length - most} more` : '');
  };
  return `The result has no column ${quote(unknown, 5)}. Its columns are ${quote(known, 200)}.`;
}

/** One bit for each column: a code has room for a thousand of them. */
function toMask(shown: readonly boolean[]): string {
  const mask = Buffer.alloc(Math.ceil(shown.length / 8));
  shown.forEach((isShown, index) => (mask[index >> 3] = (mask[index >> 3] ?? 0) | (isShown ? 1 << (index & 7) : 0)));
  return mask.toString('base64url');
}

const findInMask = (count: number, mask: Buffer): ReadonlySet<number> =>
  new Set(Array.from({ length: count }, (_, index) => index).filter((index) => ((mask[index >> 3] ?? 0) >> (index & 7)) & 1));

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const letterU = 0x75;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
