import type { RowFormat } from './row-format.ts';

export const xlsx: RowFormat = {
  name: 'xlsx',
  mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  extension: 'xlsx',
  async *encode(columns, batches, options) {
    const { writeWorkbook } = await import('./xlsx/write-workbook.ts');
    yield* writeWorkbook(columns, batches, options);
  },
};
