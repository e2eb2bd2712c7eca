import { readFileSync, writeFileSync } from 'node:fs';

/** Resident bytes of a process, and their peak since `resetPeak`. */
export function readResidentMemory(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? Number.NaN) * 1024;
  return { now: bytes('VmRSS'), peak: bytes('VmHWM') };
}

export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

export const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

/** Resident bytes of a process and its descendants. */
export function readResidentTree(pid: number): number {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    const own = readResidentMemory(pid).now || 0; // a zombie process has none
    return own + children.reduce((total, child) => total + readResidentTree(child), 0);
  } catch {
    return 0; // it has ended
  }
}
