import type { ColumnKind, LabelledColumn } from '../../../core/column.ts';
import { ByteWriter } from '../../byte-writer.ts';
import type { RowBatch } from '../../row-stream.ts';
import { FormatError, type FormatOptions } from '../row-format.ts';
import { createRowXml, escapeXml, mostCharacters } from './cell-xml.ts';
import { CutCells } from './cut-cells.ts';
import { sheetNamesOf, unusedName } from './sheet-names.ts';
import { sheetHead, sheetTail, workbookParts } from './workbook-parts.ts';
import { ZipStream } from './zip-stream.ts';

/** Excel's limits of a sheet: rows including the header, bytes of XML. A sheet below 4 GiB needs no 64-bit sizes, which make Excel report a damaged file. */
const excelLimits = { rows: 1_048_576, bytes: 3.5 * 2 ** 30 };
const mostColumns = 16_384;
const sliceBytes = 256 << 10;

/** Writes as many sheets as the rows need, and a last one that lists the cells that were cut. */
export async function* writeWorkbook(
  columns: readonly LabelledColumn[],
  batches: AsyncIterable<RowBatch>,
  { title, maxCellBytes, onRows }: FormatOptions,
  limits = excelLimits,
): AsyncGenerator<Uint8Array, void> {
  if (columns.length > mostColumns) {
    throw new FormatError(`The result has ${columns.length} columns; xlsx holds ${mostColumns} at most. Export it as CSV.`);
  }
  const nameOf = sheetNamesOf(title);
  const names: string[] = [];
  const cuts = new CutCells();
  const onCut = (cell: string, length: number): void => cuts.add(names.at(-1) ?? '', cell, length);
  const { writeRow, writeHeader } = createRowXml(columns, { maxCellBytes, onCut });
  const zip = new ZipStream();
  let out = new ByteWriter(sliceBytes * 2);
  let packed = new ByteWriter(sliceBytes * 2); // being compressed
  let widths: readonly number[] | undefined;
  let rowNumber = 0; // of the last row on the open sheet
  let sheetBytes = 0;

  const beginSheet = (sample?: RowBatch): Buffer => {
    widths ??= columnWidths(columns, sample);
    names.push(nameOf(names.length));
    out.ascii(sheetHead(widths, names.length === 1));
    writeHeader(out);
    rowNumber = 1;
    sheetBytes = 0;
    return zip.begin(`xl/worksheets/sheet${names.length}.xml`);
  };
  /** The archive has finished the previous part when it accepts the next one. */
  const pack = async (): Promise<Buffer> => {
    const bytes = await zip.write(out.view());
    [out, packed] = [packed, out];
    out.clear();
    return bytes;
  };
  async function* endFile(): AsyncGenerator<Uint8Array, void> {
    yield await pack();
    yield await zip.end();
  }

  try {
    let rows = 0;
    for await (const batch of batches) {
      for (let row = 0; row < batch.length; row++) {
        if (rowNumber >= limits.rows || sheetBytes >= limits.bytes) {
          out.ascii(sheetTail);
          yield* endFile();
          rowNumber = 0;
        }
        if (rowNumber === 0) yield beginSheet(batch);
        writeRow(batch, row, ++rowNumber, out);
        if (out.length < sliceBytes) continue;
        sheetBytes += out.length;
        yield await pack();
      }
      rows += batch.length;
      onRows(rows);
    }
    if (rowNumber === 0) yield beginSheet();
    out.ascii(sheetTail);
    yield* endFile();

    if (cuts.count > 0) {
      names.push(unusedName('Notes', names));
      yield zip.begin(`xl/worksheets/sheet${names.length}.xml`);
      out.utf8(cuts.sheetXml(mostCharacters));
      yield* endFile();
    }
    for (const [path, xml] of workbookParts(names.map(escapeXml))) {
      yield zip.begin(path);
      out.utf8(xml);
      yield* endFile();
    }
    yield zip.finish();
  } finally {
    zip.close();
  }
}

const sampledRows = 50;
const narrowest = 8;
const widest = 60;

/** Widths in characters, estimated from the labels and the first rows: the file contains the widths before the rows. */
function columnWidths(columns: readonly LabelledColumn[], sample?: RowBatch): readonly number[] {
  const scratch = new ByteWriter(1024);
  return columns.map(({ label, kind }, column) => {
    let width = Math.max(label.length + 1, momentWidths[kind] ?? 0); // bold
    const rows = momentWidths[kind] === undefined ? Math.min(sample?.length ?? 0, sampledRows) : 0;
    for (let row = 0; row < rows; row++) {
      scratch.clear();
      sample?.writeText(row, column, scratch);
      width = Math.max(width, scratch.length);
    }
    return Math.min(Math.max(width + 1, narrowest), widest);
  });
}

const momentWidths: Partial<Record<ColumnKind, number>> = { date: 11, timestamp: 19, timestamptz: 20 };
