import { setTimeout as sleep } from 'node:timers/promises';

const WAITING_PER_ACCOUNT = 20;
const WAITING_IN_ALL = 200;

export type GuessDelay = ReturnType<typeof createGuessDelay>;

/** Delays password checks. The number of waiting checks is bounded, in total and per account. */
export function createGuessDelay(pause: (ms: number) => Promise<unknown> = (ms) => sleep(ms, undefined, { ref: false })) {
  const waiting = new Map<string, number>();
  let inAll = 0;
  return {
    /** True after the delay; false immediately if too many are waiting. */
    async wait(username: string, ms: number): Promise<boolean> {
      const account = username.toLowerCase();
      const ofAccount = waiting.get(account) ?? 0;
      if (ofAccount >= WAITING_PER_ACCOUNT || inAll >= WAITING_IN_ALL) return false;
      waiting.set(account, ofAccount + 1);
      inAll++;
      try {
        await pause(ms);
        return true;
      } finally {
        inAll--;
        const left = (waiting.get(account) ?? 1) - 1;
        if (left === 0) waiting.delete(account);
        else waiting.set(account, left);
      }
    },
  };
}
