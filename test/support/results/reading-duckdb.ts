import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';

/** Reads files with DuckDB, independently of the encoders. */
export interface ReadingDuckDb {
  read(file: Buffer, extension: string, sql: (source: string) => string): Promise<DuckDBValue[][]>;
  close(): Promise<void>;
}

export async function openDuckDb(): Promise<ReadingDuckDb> {
  const folder = await mkdtemp(join(tmpdir(), 'reading-'));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  let files = 0;
  return {
    /** `sql` gets the FROM expression of the file. */
    async read(file, extension, sql) {
      const path = join(folder, `${++files}.${extension}`);
      await writeFile(path, file);
      return (await connection.runAndReadAll(sql(`'${path}'`))).getRows();
    },
    async close() {
      connection.closeSync();
      instance.closeSync();
      await rm(folder, { recursive: true });
    },
  };
}
