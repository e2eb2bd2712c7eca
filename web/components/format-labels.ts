import type { FileFormat } from '../../src/core/file-format.ts';

export const formatLabels: Readonly<Record<FileFormat, string>> = {
  csv: 'CSV',
  json: 'JSON',
  ndjson: 'NDJSON',
  xlsx: 'xlsx',
  parquet: 'Parquet',
};
