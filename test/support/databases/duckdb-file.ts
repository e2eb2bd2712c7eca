import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

/** Creates a DuckDB file with these statements and returns its name. */
export async function makeDuckdbFile(folder: string, name: string, statements: readonly string[]): Promise<string> {
  const instance = await DuckDBInstance.create(join(folder, name));
  const connection = await instance.connect();
  for (const statement of statements) await connection.run(statement);
  connection.closeSync();
  instance.closeSync();
  return name;
}
