import { readFileSync } from 'node:fs';

/** The processor time that a process and its descendants have used so far, in microseconds. */
export function readCpuMicroseconds(pid: number): number {
  return sum(pid, (each) => {
    const fields = read(`/proc/${each}/stat`)
      .replace(/^.*\) /s, '')
      .split(' ');
    return [11, 12, 13, 14].reduce((ticks, index) => ticks + Number(fields[index] ?? 0), 0) * TICK;
  });
}

/** The peak memory of a process and its descendants, in MiB. */
export const readPeakMiB = (pid: number): number => sum(pid, (each) => readStatusKiB(each, 'VmHWM')) / 1024;

/** The memory that they hold now, in MiB. */
export const readMemoryMiB = (pid: number): number => sum(pid, (each) => readStatusKiB(each, 'VmRSS')) / 1024;

/** Returns a function that reads the steal time: the share of processor time since this call that the hypervisor gave to other machines. */
export function startStealClock(): () => number {
  const before = readProcessorTicks();
  return () => {
    const now = readProcessorTicks();
    return (now.stolen - before.stolen) / Math.max(1, now.all - before.all);
  };
}

function readProcessorTicks(): { readonly stolen: number; readonly all: number } {
  const ticks = (/^cpu +(.*)$/m.exec(read('/proc/stat'))?.[1] ?? '').split(' ').slice(0, 8).map(Number);
  return { stolen: ticks[7] ?? 0, all: ticks.reduce((total, each) => total + each, 0) };
}

const TICK = 10_000; // microseconds; Linux counts in hundredths of a second

const readStatusKiB = (pid: number, field: string): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(read(`/proc/${pid}/status`))?.[1] ?? 0);

const sum = (pid: number, cost: (pid: number) => number): number =>
  cost(pid) + listChildren(pid).reduce((total, child) => total + sum(child, cost), 0);

export const listChildren = (pid: number): number[] =>
  read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);

/** Returns an empty text if the process has ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
