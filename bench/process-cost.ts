import { readFileSync } from 'node:fs';

/** Microseconds of processor that a process and all it started have used so far. */
export function cpuMicroseconds(pid: number): number {
  return sum(pid, (each) => {
    const fields = read(`/proc/${each}/stat`)
      .replace(/^.*\) /s, '')
      .split(' ');
    return [11, 12, 13, 14].reduce((ticks, index) => ticks + Number(fields[index] ?? 0), 0) * TICK;
  });
}

/** The most memory that a process and all it started have held, in MiB. */
export const peakMiB = (pid: number): number => sum(pid, (each) => statusKiB(each, 'VmHWM')) / 1024;

export const memoryMiB = (pid: number): number => sum(pid, (each) => statusKiB(each, 'VmRSS')) / 1024;

const TICK = 10_000; // microseconds; Linux counts in hundredths of a second

const statusKiB = (pid: number, field: string): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(read(`/proc/${pid}/status`))?.[1] ?? 0);

const sum = (pid: number, cost: (pid: number) => number): number =>
  cost(pid) + childrenOf(pid).reduce((total, child) => total + sum(child, cost), 0);

export const childrenOf = (pid: number): number[] =>
  read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);

/** Empty for a process that has ended meanwhile. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
