import { parentPort, workerData } from 'node:worker_threads';
import type { WrittenExpression } from '../repository/regular-expressions.ts';
import { createHostileStrings } from './hostile-strings.ts';

// Matches regular expressions with hostile strings and posts the processor time of the slowest, in milliseconds.

export interface ExpressionRun {
  readonly expressions: readonly WrittenExpression[];
  readonly lengths: readonly number[];
  readonly limitMs: number;
}

const { expressions, lengths, limitMs }: ExpressionRun = workerData;

for (const { source, flags } of expressions) parentPort?.postMessage(measureSlowest(source, flags));

function measureSlowest(source: string, flags: string): number {
  const once = new RegExp(source, flags);
  const everywhere = new RegExp(source, flags.includes('g') ? flags : `${flags}g`); // `split` tries every position, too
  let slowest = 0;
  for (const length of lengths) {
    for (const text of createHostileStrings(source, flags, length)) {
      slowest = Math.max(slowest, msOf(once, everywhere, text));
      if (slowest > limitMs) return slowest; // longer ones could take hours
    }
  }
  return slowest;
}

function msOf(once: RegExp, everywhere: RegExp, text: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 3 && least > limitMs; run++) {
    once.lastIndex = 0;
    const before = process.threadCpuUsage();
    once.test(text);
    text.replace(everywhere, '');
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
