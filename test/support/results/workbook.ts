import { crc32, inflateRawSync } from 'node:zlib';

/** The files of a zip archive, read by its central directory and verified by their checksums. */
export function unzip(archive: Buffer): Map<string, Buffer> {
  const end = archive.length - 22;
  if (archive.readUInt32LE(end) !== 0x06054b50) throw new Error('The archive has no end record.');
  const files = new Map<string, Buffer>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    if (archive.readUInt32LE(at) !== 0x02014b50) throw new Error('The central directory of the archive is invalid.');
    const nameLength = archive.readUInt16LE(at + 28);
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    const header = archive.readUInt32LE(at + 42);
    const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
    const content = inflateRawSync(archive.subarray(start, start + archive.readUInt32LE(at + 20)));
    if (content.length !== archive.readUInt32LE(at + 24) || crc32(content) !== archive.readUInt32LE(at + 16)) {
      throw new Error(`${name} does not match its sum.`);
    }
    files.set(name, content);
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return files;
}

export interface CellRead {
  readonly type: 'n' | 'b' | 'inlineStr';
  readonly style: number;
  readonly text: string;
}

export interface SheetRead {
  readonly name: string;
  readonly xml: string;
  /** Cells by reference, such as `B2`; a NULL has no cell. */
  readonly cells: ReadonlyMap<string, CellRead>;
}

export function readWorkbook(file: Buffer): readonly SheetRead[] {
  const files = unzip(file);
  const part = (path: string): string => files.get(path)?.toString() ?? '';
  return [...part('xl/workbook.xml').matchAll(/<sheet name="([^"]*)" sheetId="\d+" r:id="([^"]+)"\/>/g)].map(
    ([, name = '', id]) => {
      const target = new RegExp(`Id="${id}"[^>]*Target="([^"]+)"`).exec(part('xl/_rels/workbook.xml.rels'))?.[1];
      const xml = part(`xl/${target}`);
      return { name: unescape(name), xml, cells: readCells(xml) };
    },
  );
}

function readCells(xml: string): Map<string, CellRead> {
  const cells = new Map<string, CellRead>();
  for (const [, attributes = '', content = ''] of xml.matchAll(/<c((?: [a-z]+="[^"]*")*)>(.*?)<\/c>/gs)) {
    const attribute = (name: string): string | undefined => new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1];
    const type = attribute('t') ?? 'n';
    if (type !== 'n' && type !== 'b' && type !== 'inlineStr') throw new Error(`A cell has the type ${type}.`);
    const [, text = ''] = /^<(?:v|is><t(?: xml:space="preserve")?)>(.*)<\/(?:v|t><\/is)>$/s.exec(content) ?? [];
    cells.set(attribute('r') ?? `#${cells.size}`, { type, style: Number(attribute('s') ?? 0), text: unescape(text) });
  }
  return cells;
}

const named: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

/** The text of a cell as a spreadsheet shows it. */
export const unescape = (text: string): string =>
  text
    .replace(/&(?:amp|lt|gt|quot);/g, (entity) => named[entity] ?? entity)
    .replace(/_x([0-9A-F]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
