import type { Logger } from 'pino';
import type { RuntimeSettings } from './administration/settings.ts';
import type { SignIn } from './administration/sign-in.ts';
import type { KeyUses } from './delivery/key-uses.ts';
import type { Snapshots } from './results/snapshot/snapshots.ts';
import type { MetadataStore } from './store/metadata-store.ts';

export interface HousekeepingParts {
  readonly runtime: RuntimeSettings;
  readonly snapshots: Snapshots;
  readonly signIn: SignIn;
  readonly keyUses: KeyUses;
  readonly store: MetadataStore;
  readonly log: Logger;
  readonly now: () => number;
}

const AUDIT_SWEEP = 10_000; // entries a turn, so that a sweep never holds the store for long

/** What happens every now and then. A failed turn is logged and tried again at the next one. */
export function startHousekeeping({ runtime, snapshots, signIn, keyUses, store, log, now }: HousekeepingParts): {
  stop: () => void;
} {
  const every = (seconds: number, what: string, work: () => Promise<unknown>): NodeJS.Timeout =>
    setInterval(() => {
      work().catch((err: unknown) => log.warn({ err }, `${what} did not work; it will be tried again`));
    }, seconds * 1000).unref();

  const timers = [
    every(2, 'Reading the settings', runtime.reload),
    every(2, 'Noting the use of keys', keyUses.flush),
    every(60, 'Sweeping results', snapshots.sweep),
    every(600, 'Sweeping sessions', signIn.sweep),
    every(600, 'Sweeping the audit trail', async () => {
      const days = runtime.current().auditRetentionDays;
      if (days > 0) await store.audit.deleteBefore(now() - days * 86_400_000, AUDIT_SWEEP);
    }),
  ];
  return { stop: () => timers.forEach(clearInterval) };
}
