import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import type { ExpressionRun } from '../support/faults/expression-thread.ts';
import { reportFigure } from '../support/faults/figure.ts';
import { regularExpressions, type WrittenExpression } from '../support/repository/regular-expressions.ts';

const LENGTHS = [30, 500, 8 << 10];
const LIMIT_MS = 15; // a linear one takes less than 1 ms, a quadratic one at least 30
const LINEAR_MS = 3;
const PATIENCE_MS = 60_000; // for an exponential one

/** Expressions that are not linear, and the bound of their input. */
const bounded: Readonly<Record<string, string>> = {
  [String.raw`src/catalog/sql-type.ts /^([a-z][a-z0-9_ ]*?) ?(?:\( ?(max|\d{1,10})(?: ?, ?(\d{1,10}))? ?\))?(?: ?(?<=[ )])([a-z ]+))?$/`]:
    'a spelling of at most 100 characters',
  [String.raw`src/connectors/mysql/engine-error.ts /near '([\s\S]*)' at line (\d+)$/`]: 'a message of at most 2000 characters',
  [String.raw`src/connectors/mysql/engine-error.ts /'?(?:[^\s'.]+\.)*([^\s'.]+)'? (?:in|doesn't exist|does not exist)/`]:
    'a message of at most 2000 characters',
  [String.raw`src/connectors/mysql/open.ts /^GRANT (.+?) ON (.+?) TO (\S+)/`]:
    'a grant of our own account, as its server writes it',
  [String.raw`src/operations/whole-file.ts /\.sluice-partial-(.+)-(\d+)$/`]: 'a file name of at most 255 bytes',
  [String.raw`src/charts/svg/draw-svg.ts /<style\b[\s\S]*?<\/style>\s*/g`]: 'our own SVG, in which text is escaped',
  [String.raw`src/charts/svg/draw-svg.ts /^<svg [^>]*?\bwidth="([\d.]+)" height="([\d.]+)"[^>]*>/`]:
    'our own SVG, in which text is escaped',
};

const nameOf = ({ file, source, flags }: WrittenExpression): string => `${file} /${source}/${flags}`;

test(
  'every regular expression takes linear time with hostile strings, or its input is bounded',
  { timeout: 300_000 },
  async () => {
    const expressions = regularExpressions();
    expect(expressions.length).toBeGreaterThan(300);
    const times = await timesOf(expressions);
    const slow = expressions.filter((_each, index) => (times[index] ?? Number.POSITIVE_INFINITY) > LIMIT_MS).map(nameOf);
    reportFigure(48, `${expressions.length} regular expressions, all linear but ${slow.length}, whose input is bounded`);
    expect(slow.filter((name) => bounded[name] === undefined)).toEqual([]);
    const linear = expressions.filter((_each, index) => (times[index] ?? 0) < LINEAR_MS).map(nameOf);
    expect(
      linear.filter((name) => bounded[name] !== undefined),
      'these are linear and need no bound',
    ).toEqual([]);
  },
);

/** Runs them in a thread, which is terminated if an expression does not end. */
async function timesOf(expressions: readonly WrittenExpression[]): Promise<readonly number[]> {
  const times: number[] = [];
  while (times.length < expressions.length) {
    const workerData: ExpressionRun = { expressions: expressions.slice(times.length), lengths: LENGTHS, limitMs: LIMIT_MS };
    const worker = new Worker(new URL('../support/faults/expression-thread.ts', import.meta.url), { workerData, execArgv: [] });
    await new Promise<void>((resolve, reject) => {
      let timer = setTimeout(giveUp, PATIENCE_MS);
      function giveUp(): void {
        times.push(Number.POSITIVE_INFINITY);
        resolve();
      }
      worker.on('message', (ms: number) => {
        times.push(ms);
        clearTimeout(timer);
        timer = setTimeout(giveUp, PATIENCE_MS);
      });
      worker.on('error', reject);
      worker.on('exit', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    await worker.terminate();
  }
  return times;
}
