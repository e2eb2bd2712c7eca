import { csv } from './csv.ts';
import { json } from './json.ts';
import { ndjson } from './ndjson.ts';
import { parquet } from './parquet.ts';
import type { RowFormat } from './row-format.ts';
import { xlsx } from './xlsx.ts';

export type FormatName = 'csv' | 'json' | 'ndjson' | 'xlsx' | 'parquet';

export const formats: Readonly<Record<FormatName, RowFormat>> = { csv, json, ndjson, xlsx, parquet };
