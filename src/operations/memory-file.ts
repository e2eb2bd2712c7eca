import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';

/** Values that are also kept for the next start. */
export interface MemoryFile<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  flush(): Promise<void>;
}

export type MemoryBounds<V> =
  | { readonly max: number }
  | { readonly maxSize: number; readonly sizeCalculation: (value: V) => number };

const LIFETIME_MS = 30 * 86_400_000;
const WRITE_AFTER_MS = 5000;

/** Values in memory, and in a file for the next start. If the file cannot be read or written, the next start has no values. */
export function openMemoryFile<V extends object>(file: string, bounds: MemoryBounds<V>): MemoryFile<V> {
  const values = new LRUCache<string, V>({ ...bounds, ttl: LIFETIME_MS });
  values.load(readEntries(file));
  let timer: NodeJS.Timeout | null = null;
  const flush = async (): Promise<void> => {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    await writeFile(`${file}.${process.pid}.new`, JSON.stringify(values.dump()), { mode: 0o600 });
    await rename(`${file}.${process.pid}.new`, file);
  };
  return {
    get: (key) => values.get(key),
    set(key, value) {
      values.set(key, value);
      timer ??= setTimeout(() => void flush().catch(() => undefined), WRITE_AFTER_MS).unref();
    },
    flush,
  };
}

type Entries = Parameters<LRUCache<string, never>['load']>[0];

function readEntries(file: string): Entries {
  try {
    const entries: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(entries) ? entries : []; // written by flush
  } catch {
    return []; // the first start, or the file is damaged
  }
}
