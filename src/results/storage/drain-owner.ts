import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** The process that fills a snapshot; other processes stop waiting once it has ended. */
export interface DrainOwner {
  readonly machine: string;
  readonly pid: number;
  readonly process: string;
}

export function thisProcess(): DrainOwner {
  return { machine: machine(), pid: process.pid, process: processName };
}

/** True only if it is certain; a process on another machine is judged by its heartbeat. */
export function hasEnded(owner: DrainOwner): boolean {
  if (owner.machine !== machine()) return false;
  // after a restart in a container, the new process often has the same pid
  if (owner.pid === process.pid) return owner.process !== processName;
  try {
    process.kill(owner.pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

const processName = randomUUID();

let known: string | undefined;

/** Pids are unique only within one boot and one process namespace. */
function machine(): string {
  known ??= [
    hostname(),
    attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    attempt(() => readlinkSync('/proc/self/ns/pid')),
  ].join(' ');
  return known;
}

function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
