import type { writeMetadata } from 'hyparquet-writer/src/metadata.js';

/** The structures of the format, as the library names them. */
export type FileMetaData = Parameters<typeof writeMetadata>[1];
export type SchemaElement = FileMetaData['schema'][number];
export type RowGroup = FileMetaData['row_groups'][number];
export type ColumnChunk = RowGroup['columns'][number];
