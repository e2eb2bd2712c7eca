import { RunPool } from '../run-pool.ts';
import type { EngineProcess } from './engine-process.ts';

const hangUpMs = 500;

/** The processes of one database, each used by one run at a time. */
export function processPool<Request extends object>(options: {
  readonly max: number;
  readonly idleMs: number;
  start(): EngineProcess<Request>;
}): RunPool<EngineProcess<Request>> {
  const pool = new RunPool<EngineProcess<Request>>({
    max: options.max,
    idleMs: options.idleMs,
    async create() {
      const process = options.start();
      void process.exited.then(() => pool.remove(process));
      return process;
    },
    isUsable: ({ isAlive }) => isAlive,
    stop: (process) => process.kill(),
    end: (process) => void process.hangUp(hangUpMs),
    destroy(process) {
      process.kill();
      void process.exited.then(() => pool.warmUp()); // the next run does not wait for the start
    },
  });
  return pool;
}
