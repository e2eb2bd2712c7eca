import { spawn, spawnSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readMemoryMiB } from './process-cost.ts';
import type { SalesDatabase } from './sales.ts';
import type { Sluice } from './sluice.ts';

export const hasPsql = spawnSync('psql', ['--version']).error === undefined;

export interface ExportCost {
  readonly seconds: number;
  readonly memoryMiB: number; // peak during the export, above the level before it
}

/** Exports a whole result to a file on disk. */
export async function exportFile({ url, key, pid }: Sluice, format: string, query: string): Promise<ExportCost> {
  const before = readMemoryMiB(pid);
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, readMemoryMiB(pid));
  }, 50);
  try {
    const seconds = await measureTime(async (file) => {
      const response = await fetch(`${url}/api/v1/Export/ExecuteQuery?format=${format}`, {
        method: 'POST',
        headers: { 'X-API-Key': key, 'Content-Type': 'application/json', 'Accept-Encoding': 'identity' },
        body: JSON.stringify({ QueryName: query, Parameters: [] }),
      });
      if (!response.ok || response.body === null) throw new Error(`The export failed: ${await response.text()}`);
      await pipeline(Readable.fromWeb(response.body), createWriteStream(file));
    });
    return { seconds, memoryMiB: peak - before };
  } finally {
    clearInterval(sampling);
  }
}

/** Exports the same rows with PostgreSQL's own client. */
export const copyByPsql = ({ url }: SalesDatabase): Promise<number> =>
  measureTime(async (file) => {
    const copy = `\\copy (select * from sales order by id) to '${file}' csv header`;
    const child = spawn('psql', ['--quiet', '--no-psqlrc', '--command', copy, url.href], { stdio: 'ignore' });
    const code = await new Promise((resolve) => child.once('close', resolve));
    if (code !== 0) throw new Error(`psql ended with ${code}`);
  });

async function measureTime(write: (file: string) => Promise<void>): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-export-'));
  const startedAt = performance.now();
  try {
    await write(join(folder, 'file'));
    return (performance.now() - startedAt) / 1000;
  } finally {
    await rm(folder, { recursive: true });
  }
}
