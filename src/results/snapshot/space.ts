import { SpaceExhaustedError } from './stop.ts';
import type { Swept } from './sweep.ts';

/** Keeps all snapshots together within their bound while they grow; what other processes write is seen at the next sweep. */
export interface Space {
  claim(bytes: number): Promise<void>;
  measured(bytes: number): void;
}

export function createSpace(maxBytes: number, sweepTo: (maxBytes: number) => Promise<Swept>): Space {
  let used: number | null = null;
  let sweeping: Promise<Swept> | null = null;
  const sweepOnce = (target: number) => {
    sweeping ??= sweepTo(target).finally(() => {
      sweeping = null;
    });
    return sweeping;
  };
  return {
    async claim(bytes) {
      used ??= (await sweepOnce(maxBytes)).bytes;
      // Somewhat more room than is asked for, or else every further chunk would have to sweep again.
      if (used + bytes > maxBytes) used = (await sweepOnce(Math.min(maxBytes * 0.9, maxBytes - bytes))).bytes;
      if (used + bytes > maxBytes) throw new SpaceExhaustedError();
      used += bytes;
    },
    measured(bytes) {
      used = bytes;
    },
  };
}
