import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInflateRaw } from 'node:zlib';
import { unescape } from './workbook.ts';

/** The text of the cells of one row by column letter. */
type XlsxRow = ReadonlyMap<string, string>;

/** Streams the rows of the first sheet: a sheet of a million rows exceeds the maximum string length. */
export async function* xlsxRows(path: string): AsyncGenerator<XlsxRow> {
  const entry = await findEntry(path, 'xl/worksheets/sheet1.xml');
  const packed = createReadStream(path, { start: entry.start, end: entry.start + entry.size - 1 });
  const xml = packed.pipe(createInflateRaw()).setEncoding('utf8');
  packed.on('error', (error) => xml.destroy(error));
  let rest = '';
  for await (const piece of xml) {
    rest += piece;
    const end = rest.lastIndexOf('</row>');
    if (end < 0) continue;
    for (const [, row = ''] of rest.slice(0, end + 6).matchAll(/<row[^>]*>(.*?)<\/row>/gs)) yield cellsOf(row);
    rest = rest.slice(end + 6);
  }
}

function cellsOf(row: string): XlsxRow {
  const cells = new Map<string, string>();
  for (const [, column = '', content = ''] of row.matchAll(/<c r="([A-Z]+)\d+"[^>]*>(.*?)<\/c>/gs)) {
    const text = /<(?:v|t)(?: [^>]*)?>(.*?)<\/(?:v|t)>/s.exec(content)?.[1];
    if (text !== undefined) cells.set(column, unescape(text));
  }
  return cells;
}

/** The position of the compressed bytes of a file, from the central directory. */
async function findEntry(path: string, wanted: string): Promise<{ start: number; size: number }> {
  await using file = await open(path);
  const { size: length } = await file.stat();
  const read = async (start: number, bytes: number) =>
    (await file.read(Buffer.alloc(bytes), 0, bytes, start)).buffer as Buffer<ArrayBuffer>;
  const tail = await read(length - 22, 22);
  if (tail.readUInt32LE(0) !== 0x06054b50) throw new Error('The archive has no end record.');
  const list = await read(tail.readUInt32LE(16), tail.readUInt32LE(12));
  for (let at = 0; at < list.length;) {
    const nameLength = list.readUInt16LE(at + 28);
    const offset = list.readUInt32LE(at + 42);
    if (list.toString('utf8', at + 46, at + 46 + nameLength) === wanted) {
      const header = await read(offset, 30);
      return { start: offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28), size: list.readUInt32LE(at + 20) };
    }
    at += 46 + nameLength + list.readUInt16LE(at + 30) + list.readUInt16LE(at + 32);
  }
  throw new Error(`${wanted} is not there.`);
}
