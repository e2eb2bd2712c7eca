import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import type { FigureMemory, KeptFigure } from '../pipeline/steps/figures.ts';

const MOST = 1000; // a few kilobytes each
const LIFETIME_MS = 30 * 86_400_000;
const WRITE_AFTER_MS = 5000;

/** Figures in memory, and in a file for the next start. One that cannot be read or written is only forgotten. */
export function openFigureMemory(file: string): FigureMemory & { flush(): Promise<void> } {
  const figures = new LRUCache<string, KeptFigure>({ max: MOST, ttl: LIFETIME_MS });
  figures.load(readEntries(file));
  let timer: NodeJS.Timeout | null = null;
  const flush = async (): Promise<void> => {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    await writeFile(`${file}.new`, JSON.stringify(figures.dump()), { mode: 0o600 });
    await rename(`${file}.new`, file);
  };
  return {
    get: (key) => figures.get(key),
    set(key, kept) {
      figures.set(key, kept);
      timer ??= setTimeout(() => void flush().catch(() => undefined), WRITE_AFTER_MS).unref();
    },
    flush,
  };
}

type Entries = Parameters<LRUCache<string, KeptFigure>['load']>[0];

function readEntries(file: string): Entries {
  try {
    const entries: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(entries) ? entries : []; // written by flush
  } catch {
    return []; // the first start, or cut off
  }
}
