import { readFile, rename, rm } from 'node:fs/promises';
import { DuckDBInstance } from '@duckdb/node-api';

/** Makes the demo database: an invented retailer with the same rows every time. The file appears only when it is whole. */
export async function createDemoDatabase(file: string): Promise<void> {
  const unfinished = `${file}.unfinished-${process.pid}`;
  await discard(unfinished);
  try {
    await fill(unfinished);
    await rename(unfinished, file);
  } finally {
    await discard(unfinished);
  }
}

/** In the order in which each builds on those before it. */
const steps = ['schema', 'chance', 'stores', 'products', 'customers', 'orders', 'stock'];

async function fill(file: string): Promise<void> {
  const instance = await DuckDBInstance.create(file);
  try {
    const connection = await instance.connect();
    try {
      for (const step of steps) await connection.run(await readFile(new URL(`./sql/${step}.sql`, import.meta.url), 'utf8'));
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
