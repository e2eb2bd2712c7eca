import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';

const MIB = 2 ** 20;

/** A quarter of the machine's memory, or of what its container may use, and at most 2 GiB. */
export function defaultMemoryBytes(): number {
  const constrained = process.constrainedMemory();
  const memory = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return Math.min(toMiB(memory / 4), 2048) * MIB;
}

/** Multiplied, not shifted: a shift is 32 bits wide, and a limit may be larger. */
export const toMiB = (bytes: number): number => Math.floor(bytes / MIB);

/** The engine's own limit, which leaves room for memory that it does not count. */
export const engineMemoryMiB = (memoryBytes: number): number => toMiB(Math.max(memoryBytes - 256 * MIB, memoryBytes / 2));

/** Writable memory that a process has mapped and does not use: V8's range for code (512 MiB) and the stacks of up to 90 threads (8 MiB each). */
const mappedBeyondUsed = 1280 * MIB;

/**
 * Wraps a command in a shell that sets limits and then replaces itself by the command. An allocation beyond the limit of writable
 * memory (`ulimit -d`) fails in the process; a limit of the address space would not do, because V8 reserves far more than it uses.
 * If the machine itself runs out of memory, the kernel ends this process rather than the service (`oom_score_adj`).
 */
export function limitCommand(memoryBytes: number, command: readonly string[]): [string, ...string[]] {
  const kib = Math.ceil((memoryBytes + mappedBeyondUsed) / 1024);
  return ['/bin/sh', '-c', `echo 1000 >/proc/self/oom_score_adj; ulimit -d ${kib}; exec "$@"`, 'sh', ...command];
}

/** Memory that a process uses; 0 when it has ended or the system does not report it. */
export function readResidentBytes(pid: number | undefined): number {
  try {
    const [, kib = 0] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return Number(kib) * 1024;
  } catch {
    return 0;
  }
}
