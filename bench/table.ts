import { cpus, totalmem } from 'node:os';
import { loadMaker } from './load.ts';
import type { Measured } from './rounds.ts';
import { median } from './walk.ts';

/** One line of the table: a number, and what it should be. */
export interface Line {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly goal?: { readonly least: number } | { readonly most: number };
  readonly remark?: string;
}

/** A contender against bare. What disturbs a machine only slows a round down, so the better rounds count: each side by its quartile of them. */
export function ratioLine(what: string, rounds: readonly (readonly Measured[])[], name: string, least?: number): Line {
  const ours = chooseRound(rounds, name);
  const bare = chooseRound(rounds, 'bare');
  return {
    what,
    value: ours.perSecond / bare.perSecond,
    unit: '× bare',
    ...(least === undefined ? {} : { goal: { least } }),
    remark: `${formatValue(ours.perSecond)}/s, p50 ${formatValue(ours.p50)} ms, p99 ${formatValue(ours.p99)} ms, CPU ${formatValue(ours.server)} + database ${formatValue(ours.database)} µs; bare ${formatValue(bare.perSecond)}/s, CPU ${formatValue(bare.server)} + ${formatValue(bare.database)} µs; stolen ${formatValue(ours.stolen)} %, ${formatValue(bare.stolen)} %`,
  };
}

/** The middle of several processes of the same code, by their ratio. */
export function ratioOfProcesses(what: string, processes: readonly Measured[][][], name: string, least: number): Line {
  const lines = processes.map((rounds) => ratioLine(what, rounds, name, least)).toSorted((a, b) => a.value - b.value);
  const middle = lines[Math.floor(lines.length / 2)];
  if (middle === undefined) throw new Error(`Nobody measured ${name}.`);
  const values = lines.map(({ value }) => formatValue(value)).join(', ');
  return { ...middle, remark: `of ${values}; ${middle.remark}` };
}

export const isMet = ({ value, goal }: Line): boolean =>
  goal === undefined || ('least' in goal ? value >= goal.least : value <= goal.most);

export function printTable(lines: readonly Line[]): void {
  const [cpu] = cpus();
  const date = new Date().toISOString().slice(0, 10);
  const machine = `${cpus().length} × ${cpu?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  process.stdout.write(`\n${date}, ${machine}, Node ${process.versions.node}, load by ${loadMaker}\n\n`);
  process.stdout.write('| What | Measured | Goal | | Remark |\n|---|---|---|---|---|\n');
  for (const line of lines) {
    const sign = line.goal === undefined ? '' : isMet(line) ? 'met' : '**missed**';
    process.stdout.write(
      `| ${line.what} | ${formatValue(line.value)} ${line.unit} | ${goalOf(line)} | ${sign} | ${line.remark ?? ''} |\n`,
    );
  }
}

function goalOf({ goal }: Line): string {
  if (goal === undefined) return '';
  return 'least' in goal ? `≥ ${goal.least}` : `≤ ${goal.most}`;
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
  if (found === undefined) throw new Error(`Nobody measured ${name}.`);
  return found;
}

const formatValue = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
