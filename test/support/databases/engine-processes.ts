import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The child processes of `parent` that run a program. */
export async function childrenOf(program: string, parent = process.pid): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const [status = '', command = ''] = await Promise.all(
      ['stat', 'cmdline'].map((part) => readFile(join('/proc', name, part), 'utf8').catch(() => '')),
    );
    const [state, parentId] = status.slice(status.lastIndexOf(')') + 2).split(' ');
    if (Number(parentId) === parent && state !== 'Z' && command.includes(program)) found.push(Number(name));
  }
  return found;
}

export function isRunning(id: number): boolean {
  try {
    return !/\) Z/.test(readFileSync(`/proc/${id}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
