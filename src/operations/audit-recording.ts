import { statfs } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { createUnknownCallers, type UnknownCallers } from '../pipeline/limits/unknown-callers.ts';
import { createAuditLog } from '../pipeline/steps/audit-call.ts';
import type { Tracing } from '../pipeline/tracing.ts';
import type { MetadataStore } from '../store/metadata-store.ts';

export interface AuditRecorderParts {
  readonly config: Pick<Config, 'metadataUrl'>;
  readonly folder: string; // on the disk of the SQLite metadata
  readonly store: Pick<MetadataStore, 'audit'>;
  readonly tracing: Tracing | null;
  readonly log: Logger;
  readonly now: () => number;
}

/** Records every call in the audit trail. */
export function createAuditRecorder(parts: AuditRecorderParts): UnknownCallers & { readonly isFailing: () => boolean } {
  const { config, folder, store, tracing, log, now } = parts;
  let isFailing = false;
  const auditLog = createAuditLog(async (entries) => {
    isFailing = await store.audit.append(entries).then(
      () => false,
      (error: unknown) => {
        isFailing = true;
        throw error;
      },
    );
    if (tracing !== null) entries.forEach(tracing.recordEntry);
  });
  const unknownCallers = createUnknownCallers({
    log: auditLog,
    now,
    // the disk of a PostgreSQL server is not visible from here
    hasRoom: config.metadataUrl === null ? hasFreeSpace(folder) : () => true,
    onCounted: (calls, recorded) =>
      log.warn({ calls, recorded }, 'Unauthenticated calls were counted instead of recorded individually'),
  });
  return {
    ...unknownCallers,
    append: (entry, caller) => (caller === 'unknown' ? unknownCallers : auditLog).append(entry),
    isFailing: () => isFailing,
  };
}

const MAX_RESERVED = 2 ** 30;
const SHARE_RESERVED = 0.1;
const REMEMBERED_MS = 2_000;

/**
 * Whether the disk has more space than is reserved for entries of authenticated calls: 1 GiB, or a tenth of a smaller disk.
 * Measured in the background, so that no call waits for it.
 */
export function hasFreeSpace(folder: string, sizeOf: typeof statfs = statfs): () => boolean {
  let hasSpace = true;
  let measuredAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - measuredAt < REMEMBERED_MS) return hasSpace;
    measuredAt = performance.now();
    void sizeOf(folder).then(
      ({ bsize, blocks, bavail }) => {
        hasSpace = bavail * bsize > Math.min(MAX_RESERVED, blocks * bsize * SHARE_RESERVED);
      },
      () => undefined,
    );
    return hasSpace;
  };
}
