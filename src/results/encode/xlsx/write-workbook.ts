import { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { cellText } from '../../../core/column-format.ts';
import type { ColumnKind, LabeledColumn } from '../../../core/column.ts';
import { ByteWriter } from '../../byte-writer.ts';
import type { RowBatch } from '../../row-stream.ts';
import { type FormatOptions, formatRefused } from '../row-format.ts';
import { createRowXml, escapeXml, mostCharacters } from './cell-xml.ts';
import { numberFormatOf } from './number-format.ts';
import { cellStyles, makeUnique, sheetHead, sheetNamesOf, sheetTail, workbookParts } from './workbook-parts.ts';

/** Excel's limits of a sheet: rows including the header, bytes of XML. A sheet below 4 GiB needs no 64-bit sizes, which make Excel report a damaged file. */
const excelLimits = { rows: 1_048_576, bytes: 3.5 * 2 ** 30 };
const mostColumns = 16_384;
const sliceBytes = 256 << 10;

/** Writes as many sheets as the rows need, and a last one that lists the cells that were cut. */
export async function* writeWorkbook(
  columns: readonly LabeledColumn[],
  batches: AsyncIterable<RowBatch>,
  { title, maxCellBytes }: FormatOptions,
  limits = excelLimits,
): AsyncGenerator<Uint8Array, void> {
  if (columns.length > mostColumns) {
    throw formatRefused(`The result has ${columns.length} columns; xlsx holds ${mostColumns} at most. Export it as CSV.`);
  }
  const nameOf = sheetNamesOf(title);
  const names: string[] = [];
  const cuts = new CutCells();
  const onCut = (cell: string, length: number): void => cuts.add(names.at(-1) ?? '', cell, length);
  const codes = [...new Set(columns.flatMap((column) => numberFormatOf(column) ?? []))];
  const styles = new Map(
    columns.flatMap((column) => {
      const index = codes.indexOf(numberFormatOf(column) ?? '');
      return index < 0 ? [] : [[column, cellStyles.firstOfColumns + index] as const];
    }),
  );
  const { writeRow, writeHeader } = createRowXml(columns, styles, { maxCellBytes, onCut });
  const out = new ByteWriter(sliceBytes * 2);
  const source = batches[Symbol.asyncIterator]();
  let batch = await source.next();
  while (batch.done !== true && batch.value.length === 0) batch = await source.next(); // widths are estimated from rows
  let row = 0; // the next one of the batch
  let widths: readonly number[] | undefined;

  /** A sheet with the rows that it has room for. */
  async function* sheetXml(): AsyncGenerator<Buffer, void> {
    widths ??= columnWidths(columns, batch.done === true ? undefined : batch.value);
    out.ascii(sheetHead(widths, names.length === 1));
    writeHeader(out);
    let bytes = 0;
    for (let number = 1; batch.done !== true; batch = await source.next(), row = 0) {
      for (; row < batch.value.length; row++) {
        if (number >= limits.rows || bytes >= limits.bytes) return yield endSheet();
        writeRow(batch.value, row, ++number, out);
        if (out.length < sliceBytes) continue;
        bytes += out.length;
        yield out.take();
      }
    }
    yield endSheet();
  }
  const endSheet = (): Buffer => {
    out.ascii(sheetTail);
    return out.take();
  };

  const zip = new ZipFile();
  let sheet: Readable | undefined;
  async function fill(): Promise<void> {
    do {
      names.push(nameOf(names.length));
      sheet = Readable.from(sheetXml(), { objectMode: false });
      zip.addReadStream(sheet, `xl/worksheets/sheet${names.length}.xml`, archived);
      await finished(sheet);
    } while (batch.done !== true);
    if (cuts.count > 0) {
      names.push(makeUnique('Notes', names));
      zip.addBuffer(Buffer.from(cuts.sheetXml(mostCharacters)), `xl/worksheets/sheet${names.length}.xml`, archived);
    }
    for (const [path, xml] of workbookParts(names.map(escapeXml), codes.map(escapeXml)))
      zip.addBuffer(Buffer.from(xml), path, archived);
    zip.end();
  }

  const output = new PassThrough();
  zip.outputStream.pipe(output);
  const filling = fill().catch((error) => output.destroy(error));
  try {
    yield* output;
  } finally {
    sheet?.destroy(); // closes the source if the reader stopped early
    await filling;
    await source.return?.();
  }
}

/** The date is fixed, so that equal results are equal files. */
const archived = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true, compressionLevel: 1 };

const sampledRows = 50;
const narrowest = 8;
const widest = 60;

/** Widths in characters, estimated from the labels and the first rows: the file contains the widths before the rows. */
function columnWidths(columns: readonly LabeledColumn[], sample?: RowBatch): readonly number[] {
  const scratch = new ByteWriter(1024);
  return columns.map(({ label, kind, format }, column) => {
    let width = Math.max(label.length + 1, momentWidths[kind] ?? 0); // bold
    const rows = momentWidths[kind] === undefined ? Math.min(sample?.length ?? 0, sampledRows) : 0;
    for (let row = 0; row < rows; row++) {
      scratch.clear();
      sample?.writeText(row, column, scratch);
      const shown = format === undefined ? 0 : cellText(scratch.bytes.toString('latin1', 0, scratch.length), format).length + 1;
      width = Math.max(width, scratch.length, shown);
    }
    return Math.min(Math.max(width + 1, narrowest), widest);
  });
}

const momentWidths: Partial<Record<ColumnKind, number>> = { date: 11, timestamp: 19, timestamptz: 20 };

const mostListed = 1000;

/** Counts the cells that were cut and records the first ones. */
class CutCells {
  count = 0;
  readonly #listed: (readonly [sheet: string, cell: string, length: number])[] = [];

  add(sheet: string, cell: string, length: number): void {
    this.count++;
    if (this.#listed.length < mostListed) this.#listed.push([sheet, cell, length]);
  }

  /** The sheet that lists the cells that were cut. */
  sheetXml(limit: number): string {
    const cells = this.count === 1 ? '1 cell was' : `${this.count} cells were`;
    const first = this.count > mostListed ? ` The first ${mostListed} are:` : '';
    const heading = `${cells} cut: a cell of a workbook holds ${limit} characters at most.${first}`;
    const rows = [
      `<row>${text(heading, true)}</row>`,
      `<row>${text('Sheet', true)}${text('Cell', true)}${text('Characters', true)}</row>`,
      ...this.#listed.map(([sheet, cell, length]) => `<row>${text(sheet)}${text(cell)}<c><v>${length}</v></c></row>`),
    ];
    return sheetHead([32, 12, 12], false) + rows.join('') + sheetTail;
  }
}

const text = (content: string, bold = false): string =>
  `<c${bold ? ` s="${cellStyles.header}"` : ''} t="inlineStr"><is><t>${escapeXml(content)}</t></is></c>`;
