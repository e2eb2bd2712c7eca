import { readFile, rename, rm } from 'node:fs/promises';
import { DuckDBInstance } from '@duckdb/node-api';

/** Creates the demo database: a fictional retailer, with the same rows every time. The file gets its name only when it is complete. */
export async function createDemoDatabase(file: string): Promise<void> {
  const incomplete = `${file}.incomplete-${process.pid}`;
  await discard(incomplete);
  try {
    await fill(incomplete);
    await rename(incomplete, file);
  } finally {
    await discard(incomplete);
  }
}

/** In this order: each script uses the tables of earlier ones. */
const scripts = ['schema', 'chance', 'stores', 'products', 'customers', 'orders', 'stock'];

async function fill(file: string): Promise<void> {
  const instance = await DuckDBInstance.create(file);
  try {
    const connection = await instance.connect();
    try {
      for (const script of scripts) await connection.run(await readFile(new URL(`./sql/${script}.sql`, import.meta.url), 'utf8'));
      await connection.run('CHECKPOINT');
    } finally {
      connection.closeSync();
    }
  } finally {
    instance.closeSync();
  }
}

async function discard(file: string): Promise<void> {
  await rm(file, { force: true });
  await rm(`${file}.wal`, { force: true });
}
