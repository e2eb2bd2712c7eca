import { narrower } from '../../access/key-limits.ts';
import type { Principal } from '../../access/principal.ts';
import type { Config } from '../../config/config.ts';
import { failed, type Result, succeeded } from '../../errors.ts';
import type { KeyRate } from '../key-rate.ts';

export type WithinRate = (principal: Principal) => Result<null>;

/** Bounds the calls a second of each key, whatever they ask for. */
export function createWithinRate(keyRate: KeyRate, config: () => Config, now: () => number): WithinRate {
  return ({ means }) => {
    if (means.kind !== 'key') return succeeded(null);
    const wait = keyRate.take(means.keyId, narrower(means.limits?.callsPerSecond, config().ratePerKey), now());
    return wait === 0 ? succeeded(null) : failed({ kind: 'RateExceeded', retryAfterSeconds: wait });
  };
}
