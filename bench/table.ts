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

/** A contender against bare, each round by itself, then the median over the rounds. */
export function ratioLine(what: string, rounds: readonly (readonly Measured[])[], name: string, least?: number): Line {
  const ratios = rounds.map((round) => of(round, name).perSecond / of(round, 'bare').perSecond);
  const ours = average(rounds, name);
  const bare = average(rounds, 'bare');
  return {
    what,
    value: median(ratios),
    unit: '× bare',
    ...(least === undefined ? {} : { goal: { least } }),
    remark: `${ours.perSecond}/s, p50 ${ours.p50} ms, p99 ${ours.p99} ms, CPU ${ours.server} + database ${ours.database} µs; bare ${bare.perSecond}/s, CPU ${bare.server} + ${bare.database} µs; stolen ${ours.stolen} %, ${bare.stolen} %`,
  };
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
      `| ${line.what} | ${shown(line.value)} ${line.unit} | ${goalOf(line)} | ${sign} | ${line.remark ?? ''} |\n`,
    );
  }
}

function goalOf({ goal }: Line): string {
  if (goal === undefined) return '';
  return 'least' in goal ? `≥ ${goal.least}` : `≤ ${goal.most}`;
}

function average(rounds: readonly (readonly Measured[])[], name: string) {
  const all = rounds.map((round) => of(round, name));
  const mid = (field: 'perSecond' | 'p50' | 'p99' | 'serverMicroseconds' | 'databaseMicroseconds'): string =>
    shown(median(all.map((each) => each[field])));
  return {
    perSecond: mid('perSecond'),
    p50: mid('p50'),
    p99: mid('p99'),
    server: mid('serverMicroseconds'),
    database: mid('databaseMicroseconds'),
    stolen: shown(100 * median(all.map((each) => each.stolen))),
  };
}

function of(round: readonly Measured[], name: string): Measured {
  const found = round.find((each) => each.name === name);
  if (found === undefined) throw new Error(`Nobody measured ${name}.`);
  return found;
}

const shown = (value: number): string => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));
