import type { writeMetadata } from 'hyparquet-writer/src/metadata.js';

/** Structures of the format, as named by the library. */
export type FileMetaData = Parameters<typeof writeMetadata>[1];
export type SchemaElement = FileMetaData['schema'][number];
export type RowGroup = FileMetaData['row_groups'][number];
export type ColumnChunk = RowGroup['columns'][number];
