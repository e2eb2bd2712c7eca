export const fileFormats = ['csv', 'json', 'ndjson', 'xlsx', 'parquet'] as const;

/** The format of a whole result as a file. */
export type FileFormat = (typeof fileFormats)[number];
