import type { RowFormat } from './row-format.ts';

export const parquet: RowFormat = {
  name: 'parquet',
  mimeType: 'application/vnd.apache.parquet',
  extension: 'parquet',
  async *encode(columns, batches, options) {
    const { writeParquet } = await import('./parquet/write-parquet.ts');
    yield* writeParquet(columns, batches, options);
  },
};
