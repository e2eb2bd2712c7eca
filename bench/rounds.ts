import { type LoadResult, load, type Target } from './load.ts';
import { cpuMicroseconds, readStolenClock } from './process-cost.ts';

/** Who is measured: a target on a server, and the processes that work for it. */
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
  readonly stolen: number; // part of the processor that the host of this virtual machine gave to others meanwhile
}

export interface Rounds {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
}

/** Until the engine has compiled what it will compile: the longer a path, the more calls that takes. */
export async function warmUp(contenders: readonly Contender[], { requests, seconds }: { requests: number; seconds: number }) {
  for (const { target } of contenders) {
    const end = performance.now() + seconds * 1000;
    for (let done = 0; done < requests && performance.now() < end;) done += (await load(target, 16, 2)).requests;
  }
}

/** Round by round, each contender after the other, and each in turn the first: what disturbs the machine for a while disturbs them alike. */
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

const MOST_STOLEN = 0.04;
const MAX_TRIES = 6;

/** Again while the host takes the processor away, several times at most; then the least disturbed counts. */
async function measure(contender: Contender, options: Rounds): Promise<Measured> {
  await load(contender.target, options.connections, 1); // warm-up
  let best = await measureOnce(contender, options);
  for (let tries = 1; best.stolen > MOST_STOLEN && tries < MAX_TRIES; tries++) {
    const next = await measureOnce(contender, options);
    if (next.stolen < best.stolen) best = next;
  }
  return best;
}

async function measureOnce({ name, pid, databasePid, target }: Contender, { connections, seconds }: Rounds): Promise<Measured> {
  const stolen = readStolenClock();
  const server = cpuMicroseconds(pid);
  const database = cpuMicroseconds(databasePid);
  const result = await load(target, connections, seconds);
  return {
    ...result,
    name,
    perSecond: (result.requests / result.microseconds) * 1e6,
    serverMicroseconds: (cpuMicroseconds(pid) - server) / result.requests,
    databaseMicroseconds: (cpuMicroseconds(databasePid) - database) / result.requests,
    stolen: stolen(),
  };
}
