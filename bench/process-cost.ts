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

/** A clock of the processor time that the host of this virtual machine has given to others, as a part of all since it was made. */
export function readStolenClock(): () => number {
  const before = processorTicks();
  return () => {
    const now = processorTicks();
    return (now.stolen - before.stolen) / Math.max(1, now.all - before.all);
  };
}

function processorTicks(): { readonly stolen: number; readonly all: number } {
  const ticks = (/^cpu +(.*)$/m.exec(read('/proc/stat'))?.[1] ?? '').split(' ').slice(0, 8).map(Number);
  return { stolen: ticks[7] ?? 0, all: ticks.reduce((total, each) => total + each, 0) };
}

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
