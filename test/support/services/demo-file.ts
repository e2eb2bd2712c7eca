import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDemoDatabase } from '../../../demo/database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    demoFile: string; // created once per run; services under test get a copy
  }
}

export async function makeDemoFile(): Promise<{ file: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-demo-'));
  const file = join(folder, 'demo.duckdb');
  await createDemoDatabase(file);
  return { file, remove: () => rm(folder, { recursive: true, force: true }) };
}
