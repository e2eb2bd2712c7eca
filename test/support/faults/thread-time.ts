import { readFileSync } from 'node:fs';

/** The processor time of the main thread of a process, where its event loop runs, in milliseconds. */
export const mainThreadMs = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000_000;
