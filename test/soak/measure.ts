import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readMemoryMiB } from '../../bench/process-cost.ts';
import { readResidentMemory } from '../support/faults/resident-memory.ts';
import type { SoakService } from './service.ts';

/** The resources that the service holds at a moment. */
export interface Sample {
  readonly minutes: number; // since the load began
  readonly memoryMiB: number; // VmRSS of all its processes
  readonly firstMiB: number; // of the first process: those for SQLite come and go
  readonly processes: number;
  readonly heapMiB: number; // used heap of the first process, including what is not yet collected
  readonly externalMiB: number; // buffers outside the heap
  readonly descriptors: number; // of the first process
  readonly snapshotMiB: number;
  readonly exportMiB: number;
}

const figures = [
  'minutes',
  'memoryMiB',
  'firstMiB',
  'processes',
  'heapMiB',
  'externalMiB',
  'descriptors',
  'snapshotMiB',
  'exportMiB',
] as const satisfies readonly (keyof Sample)[];

export const columns = figures.join(',');

export const lineOf = (sample: Sample): string => figures.map((figure) => Number(sample[figure].toFixed(2))).join(',');

export async function sample({ url, pid, data }: SoakService, minutes: number): Promise<Sample> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const mebibytes = (name: string): number =>
    Number(new RegExp(`^sluice_nodejs_${name}_bytes (\\d+)`, 'm').exec(metrics)?.[1] ?? Number.NaN) / 2 ** 20;
  return {
    minutes,
    memoryMiB: readMemoryMiB(pid),
    firstMiB: readResidentMemory(pid).now / 2 ** 20,
    processes: 1 + readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).length,
    heapMiB: mebibytes('heap_size_used'),
    externalMiB: mebibytes('external_memory'),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    snapshotMiB: bytesBelow(join(data, 'snapshots')) / 2 ** 20,
    exportMiB: bytesBelow(join(data, 'exports')) / 2 ** 20,
  };
}

/** MiB per minute, by least squares. */
export function slope(samples: readonly Sample[], of: (sample: Sample) => number): number {
  const mean = (each: (sample: Sample) => number): number =>
    samples.reduce((sum, sample) => sum + each(sample), 0) / samples.length;
  const [minute, memory] = [mean((each) => each.minutes), mean(of)];
  const covariance = mean((each) => (each.minutes - minute) * (of(each) - memory));
  return covariance / mean((each) => (each.minutes - minute) ** 2);
}

export async function executionsRunning({ url, admin }: SoakService): Promise<number> {
  const response = await fetch(`${url}/api/v1/executions`, { headers: admin });
  const { items }: { items: readonly unknown[] } = JSON.parse(await response.text());
  return items.length;
}

/** Files may disappear while they are listed. */
function bytesBelow(path: string): number {
  try {
    const found = statSync(path);
    return found.isDirectory() ? readdirSync(path).reduce((sum, name) => sum + bytesBelow(join(path, name)), 0) : found.size;
  } catch {
    return 0;
  }
}
