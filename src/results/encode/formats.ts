import type { FileFormat } from '../../core/file-format.ts';
import { csv } from './csv.ts';
import { json, ndjson } from './json.ts';
import type { RowFormat } from './row-format.ts';

// the writers of these two are large and loaded on demand
const xlsx: RowFormat = {
  name: 'xlsx',
  mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  isText: false,
  async *encode(columns, batches, options) {
    const { writeWorkbook } = await import('./xlsx/write-workbook.ts');
    yield* writeWorkbook(columns, batches, options);
  },
};
const parquet: RowFormat = {
  name: 'parquet',
  mimeType: 'application/vnd.apache.parquet',
  isText: false,
  async *encode(columns, batches, options) {
    const { writeParquet } = await import('./parquet/write-parquet.ts');
    yield* writeParquet(columns, batches, options);
  },
};

export const formats: Readonly<Record<FileFormat, RowFormat>> = { csv, json, ndjson, xlsx, parquet };
