import { type LoadResult, runLoad, type Target } from './load.ts';
import { readCpuMicroseconds, startStealClock } from './process-cost.ts';

/** What is measured: a target on a server, and the processes that work for it. */
export interface Contender {
  readonly name: string;
  readonly pid: number;
  readonly databasePid: number;
  readonly target: Target;
}

export interface Measured extends LoadResult {
  readonly name: string;
  readonly perSecond: number;
  readonly serverMicroseconds: number; // of processor, per request
  readonly databaseMicroseconds: number;
  readonly stolen: number; // share of the processor time that the hypervisor gave to other machines meanwhile
}

export interface Rounds {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
}

/** Sends requests until V8 has compiled the code; a longer code path needs more calls. */
export async function warmUp(contenders: readonly Contender[], { requests, seconds }: { requests: number; seconds: number }) {
  for (const { target } of contenders) {
    const end = performance.now() + seconds * 1000;
    for (let done = 0; done < requests && performance.now() < end;) done += (await runLoad(target, 16, 2)).requests;
  }
}

/** Measures the contenders one after another in each round, and starts each round with another one, so that a disturbance of the machine affects all alike. */
export async function measureRounds(contenders: readonly Contender[], options: Rounds): Promise<Measured[][]> {
  const rounds: Measured[][] = [];
  for (let round = 0; round < options.rounds; round++) {
    const measured: Measured[] = [];
    const first = round % contenders.length;
    for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)])
      measured.push(await measure(contender, options));
    rounds.push(measured);
  }
  return rounds;
}

const MAX_STOLEN = 0.04;
const MAX_TRIES = 6;

/** Repeats a measurement in which the hypervisor took too much of the processor, a few times at most, and returns the least disturbed one. */
async function measure(contender: Contender, options: Rounds): Promise<Measured> {
  await runLoad(contender.target, options.connections, 1); // warm-up
  let best = await measureOnce(contender, options);
  for (let tries = 1; best.stolen > MAX_STOLEN && tries < MAX_TRIES; tries++) {
    const next = await measureOnce(contender, options);
    if (next.stolen < best.stolen) best = next;
  }
  return best;
}

async function measureOnce({ name, pid, databasePid, target }: Contender, { connections, seconds }: Rounds): Promise<Measured> {
  const stolen = startStealClock();
  const server = readCpuMicroseconds(pid);
  const database = readCpuMicroseconds(databasePid);
  const result = await runLoad(target, connections, seconds);
  return {
    ...result,
    name,
    perSecond: (result.requests / result.microseconds) * 1e6,
    serverMicroseconds: (readCpuMicroseconds(pid) - server) / result.requests,
    databaseMicroseconds: (readCpuMicroseconds(databasePid) - database) / result.requests,
    stolen: stolen(),
  };
}
