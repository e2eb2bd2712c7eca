import { createWriteStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startSales } from '../../bench/sales.ts';
import { startSluice } from '../../bench/sluice.ts';
import { kinds } from './kinds.ts';
import { measureCapacity, createTally, runSteadyLoad } from './load.ts';
import { columns, executionsRunning, lineOf, type Sample, sample, slope } from './measure.ts';
import { startSoakService } from './service.ts';

const EVERY_SECONDS = 15;
const SETTLING_MINUTES = 10;
const MOST_MIB_A_MINUTE = 1;

/** `npm run test:soak -- --minutes 60`: mixed load below capacity; fails when memory grows or a response is unexpected. */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '60' },
      share: { type: 'string', default: '0.5' }, // of the capacity
      rate: { type: 'string' }, // calls per second instead, when the machine is shared
      csv: { type: 'string' }, // file for the samples
      only: { type: 'string' }, // only kinds whose name contains this
    },
  });
  const minutes = Number(values.minutes);
  const chosen = kinds.filter(({ name }) => values.only === undefined || name.includes(values.only));
  await (await startSluice(new URL('postgres://nowhere'), {}, { isPrepared: false })).stop(); // fills the compile cache: compiling would raise the memory of the measured process for good
  const sales = await startSales();
  const service = await startSoakService(sales.url);
  try {
    const tally = createTally();
    await measureCapacity(service, chosen, 15, tally); // warm-up
    const capacity = await measureCapacity(service, chosen, 15, tally);
    const rate = values.rate === undefined ? capacity * Number(values.share) : Number(values.rate);
    say(`capacity ${capacity.toFixed(0)} calls a second, load ${rate.toFixed(0)}`);

    const samples: Sample[] = [];
    const file = createWriteStream(values.csv ?? '/dev/null');
    file.write(`${columns}\n`);
    const startedAt = performance.now();
    const look = async (): Promise<void> => {
      const now = await sample(service, (performance.now() - startedAt) / 60_000);
      samples.push(now);
      file.write(`${lineOf(now)}\n`);
    };
    await look();
    const looking = setInterval(() => void look().catch((error: unknown) => say(`no sample: ${error}`)), EVERY_SECONDS * 1000);
    await runSteadyLoad(service, chosen, { rate, seconds: minutes * 60, tally });
    clearInterval(looking);
    await look();
    file.end();

    await sleep(5000); // aborted work has ended by then
    const running = await executionsRunning(service);
    const settled = samples.filter((each) => each.minutes >= Math.min(SETTLING_MINUTES, minutes / 6));
    const grows = slope(settled, (each) => each.memoryMiB);
    const firstGrows = slope(settled, (each) => each.firstMiB);
    for (const [name, calls] of tally.calls) say(`${String(calls).padStart(9)}  ${name}`);
    for (const [what, times] of tally.unexpected) say(`UNEXPECTED ${times} × ${what}`);
    const [first, last] = [settled.at(0), settled.at(-1)];
    if (first !== undefined && last !== undefined) say(`${columns}\n${lineOf(first)}\n${lineOf(last)}`);
    say(`turns held back: ${tally.heldBack}; left running: ${running}`);
    say(`slope ${grows.toFixed(3)} MiB a minute, of the first process ${firstGrows.toFixed(3)}, over ${settled.length} samples`);
    return grows < MOST_MIB_A_MINUTE && tally.unexpected.size === 0 && running === 0 ? 0 : 1;
  } finally {
    await service.stop();
    await sales.stop();
  }
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1)); // and stop the service
process.exitCode = await main();
