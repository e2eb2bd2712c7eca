import { readFileSync, writeFileSync } from 'node:fs';

/** Resident bytes of a process, and the most that it had since `forgetPeak`. */
export function residentMemory(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? Number.NaN) * 1024;
  return { now: bytes('VmRSS'), peak: bytes('VmHWM') };
}

export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

export const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
