import { cpus, totalmem } from 'node:os';
import { loadGenerator } from './load.ts';
import type { Measured } from './rounds.ts';
import { median } from './walk.ts';

/** `accepted`: a goal that is missed for a reason that `docs/performance.md` gives. The table says so, and `--check` refuses only what is worse. */
export type Goal = { readonly accepted?: number } & ({ readonly atLeast: number } | { readonly atMost: number });

/** One line of the table: a measured value and its goal. */
export interface Line {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly goal?: Goal;
  readonly remark?: string;
}

/** Compares a contender with bare. A disturbance of the machine can only slow a round down, so each side is represented by the quartile of its faster rounds. */
export function ratioLine(what: string, rounds: readonly (readonly Measured[])[], name: string, goal?: Goal): Line {
  const ours = chooseRound(rounds, name);
  const bare = chooseRound(rounds, 'bare');
  return {
    what,
    value: ours.perSecond / bare.perSecond,
    unit: '× bare',
    ...(goal === undefined ? {} : { goal }),
    remark: `${formatValue(ours.perSecond)}/s, p50 ${formatValue(ours.p50)} ms, p99 ${formatValue(ours.p99)} ms, CPU ${formatValue(ours.server)} + database ${formatValue(ours.database)} µs; bare ${formatValue(bare.perSecond)}/s, CPU ${formatValue(bare.server)} + ${formatValue(bare.database)} µs; stolen ${formatValue(ours.stolen)} %, ${formatValue(bare.stolen)} %`,
  };
}

/** The median of several processes of the same code, by their ratio. */
export function ratioOfProcesses(what: string, processes: readonly Measured[][][], name: string, goal: Goal): Line {
  const lines = processes.map((rounds) => ratioLine(what, rounds, name, goal)).toSorted((a, b) => a.value - b.value);
  const middle = lines[Math.floor(lines.length / 2)];
  if (middle === undefined) throw new Error(`There is no measurement of ${name}.`);
  const values = lines.map(({ value }) => formatValue(value)).join(', ');
  return { ...middle, remark: `of ${values}; ${middle.remark}` };
}

const isWithin = (value: number, goal: Goal, bound?: number): boolean =>
  'atLeast' in goal ? value >= (bound ?? goal.atLeast) : value <= (bound ?? goal.atMost);

/** Whether the goal is met, or missed no further than is accepted. */
export const isAccepted = ({ value, goal }: Line): boolean => goal === undefined || isWithin(value, goal, goal.accepted);

export function printTable(lines: readonly Line[]): void {
  const [cpu] = cpus();
  const date = new Date().toISOString().slice(0, 10);
  const machine = `${cpus().length} × ${cpu?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  process.stdout.write(`\n${date}, ${machine}, Node ${process.versions.node}, load by ${loadGenerator}\n\n`);
  process.stdout.write('| What | Measured | Goal | | Remark |\n|---|---|---|---|---|\n');
  for (const line of lines) {
    process.stdout.write(
      `| ${line.what} | ${formatValue(line.value)} ${line.unit} | ${formatGoal(line)} | ${verdictOn(line)} | ${line.remark ?? ''} |\n`,
    );
  }
}

function verdictOn(line: Line): string {
  if (line.goal === undefined) return '';
  if (isWithin(line.value, line.goal)) return 'met';
  return isAccepted(line) ? '**missed**, as known' : '**missed**';
}

function formatGoal({ goal }: Line): string {
  if (goal === undefined) return '';
  return 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
}

/** The third quartile of the rate and the first of the costs. */
function chooseRound(rounds: readonly (readonly Measured[])[], name: string) {
  const all = rounds.map((round) => findMeasured(round, name));
  const low = (field: 'p50' | 'p99' | 'serverMicroseconds' | 'databaseMicroseconds'): number =>
    quantile(
      all.map((each) => each[field]),
      0.25,
    );
  return {
    perSecond: quantile(
      all.map((each) => each.perSecond),
      0.75,
    ),
    p50: low('p50'),
    p99: low('p99'),
    server: low('serverMicroseconds'),
    database: low('databaseMicroseconds'),
    stolen: 100 * median(all.map((each) => each.stolen)),
  };
}

const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.round((values.length - 1) * part)] ?? Number.NaN;

function findMeasured(round: readonly Measured[], name: string): Measured {
  const found = round.find((each) => each.name === name);
  if (found === undefined) throw new Error(`There is no measurement of ${name}.`);
  return found;
}

const formatValue = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
