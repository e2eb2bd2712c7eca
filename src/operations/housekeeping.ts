import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { RuntimeSettings } from '../administration/settings.ts';
import type { SignIn } from '../administration/sign-in/sign-in.ts';
import type { ClusterExecutions } from '../pipeline/executions.ts';
import type { SharedLimits } from '../pipeline/limits/shared-limits.ts';
import type { UnknownCallers } from '../pipeline/limits/unknown-callers.ts';
import type { ExportFiles } from '../results/files/export-files.ts';
import type { Snapshots } from '../results/snapshot/snapshots.ts';
import type { MetadataStore } from '../store/metadata-store.ts';
import type { AuditArchive } from './audit-archive.ts';

export interface HousekeepingParts {
  readonly settings: RuntimeSettings;
  readonly sharedLimits: Pick<SharedLimits, 'renew'> | null;
  readonly clusterExecutions: Pick<ClusterExecutions, 'exchange'>;
  readonly snapshots: Snapshots;
  readonly exportFiles: Pick<ExportFiles, 'sweep'>;
  readonly signIn: SignIn;
  readonly counters: readonly Counter[];
  readonly unknownCallers: Pick<UnknownCallers, 'sweep'>;
  readonly auditArchive: AuditArchive | null;
  readonly process: string; // an id that no other process has
  readonly store: MetadataStore;
  readonly log: Logger;
  readonly now: () => number;
}

/** Counts in memory that are written every few seconds, and when the service stops. */
export interface Counter {
  readonly what: string; // for the log
  flush(): Promise<void>;
}

const DAY_MS = 86_400_000;
const AUDIT_SWEEP = 2_000; // entries per statement, so that a sweep does not hold the store for long
const EXPIRED_SHARE_DAYS = 30; // until then its issuer can give it a new token
const VIEWER_DAYS = 30; // that the list of an application's viewers covers
const UNUSED_CLIENT_DAYS = 30; // until an AI application that registered itself is forgotten
const SWEEP_PAUSE_MS = 50; // yields to other calls
const PARTITION_LEASE = 'audit partitions';
const PARTITION_LEASE_MS = 300_000;

/** Periodic tasks. A failed run is logged and retried at the next interval; runs of a task never overlap. */
export function startHousekeeping(parts: HousekeepingParts): { stop: () => void } {
  const { settings, sharedLimits, auditArchive, process, store, log, now } = parts;
  let stopped = false;
  const schedule = (seconds: number, what: string, work: () => Promise<unknown>): NodeJS.Timeout => {
    let running = false;
    const turn = async (): Promise<void> => {
      if (running) return;
      running = true;
      try {
        await work();
      } catch (err) {
        if (!stopped) log.warn({ err }, `${what} failed and will be retried`);
      } finally {
        running = false;
      }
    };
    return setInterval(() => void turn(), seconds * 1000).unref();
  };
  const keepPartitions = async (dropBefore: number | null): Promise<void> => {
    const { audit, leases } = store;
    if (audit.keepPartitions === null) return;
    if (!(await leases.take(PARTITION_LEASE, process, { at: now(), until: now() + PARTITION_LEASE_MS }))) return;
    await audit.keepPartitions({ at: now(), dropBefore, onlyIfEmpty: auditArchive !== null });
  };
  const sweepAuditTrail = async (): Promise<void> => {
    const days = settings.current().auditRetentionDays;
    const before = days === 0 ? null : now() - days * DAY_MS;
    if (auditArchive !== null && before !== null) await auditArchive.moveBefore(before, () => stopped);
    await keepPartitions(before);
    if (auditArchive !== null || before === null) return;
    while ((await store.audit.deleteBefore(before, AUDIT_SWEEP)) === AUDIT_SWEEP && !stopped) await delay(SWEEP_PAUSE_MS);
  };

  const timers = [
    schedule(1, 'Exchanging running executions with other processes', parts.clusterExecutions.exchange),
    ...(sharedLimits === null ? [] : [schedule(1, 'Keeping slots of limits over all replicas', sharedLimits.renew)]),
    schedule(2, 'Reading the settings', settings.reload),
    ...parts.counters.map(({ what, flush }) => schedule(2, `Recording ${what}`, flush)),
    schedule(600, 'Sweeping tokens of AI applications', () =>
      store.oauth.sweep({ now: now(), unusedSince: now() - UNUSED_CLIENT_DAYS * DAY_MS }),
    ),
    schedule(600, 'Sweeping viewers', () => store.viewers.forgetUnusedSince(now() - VIEWER_DAYS * DAY_MS)),
    schedule(2, 'Recording counts of unauthenticated calls', parts.unknownCallers.sweep),
    schedule(60, 'Sweeping results', parts.snapshots.sweep),
    schedule(60, 'Sweeping export files', parts.exportFiles.sweep),
    schedule(60, 'Sweeping names of data files', () => store.dataFiles.deleteExpired(now())),
    schedule(600, 'Sweeping sessions', parts.signIn.sweep),
    schedule(600, 'Sweeping the audit trail', sweepAuditTrail),
    schedule(600, 'Sweeping expired embeds', () => store.embeds.deleteExpiredBefore(now() - EXPIRED_SHARE_DAYS * DAY_MS)),
    schedule(600, 'Sweeping expired data links', () => store.links.deleteExpiredBefore(now() - EXPIRED_SHARE_DAYS * DAY_MS)),
  ];
  return {
    stop: () => {
      stopped = true;
      timers.forEach(clearInterval);
    },
  };
}
