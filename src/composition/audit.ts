import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { createAuditRecorder } from '../operations/audit-recording.ts';
import { createAuditCall } from '../pipeline/steps/audit-call.ts';
import { createAuditStreams } from '../pipeline/steps/audit-stream.ts';
import type { Storage } from './storage.ts';

export type Audit = Awaited<ReturnType<typeof composeAudit>>;

/** Recording of every call in the audit trail, and tracing. */
export async function composeAudit(config: Config, { folder, store }: Storage, log: Logger, now: () => number) {
  const tracing =
    config.tracesEndpoint === null ? null : await (await import('../operations/tracing.ts')).startTracing(config.tracesEndpoint);
  const recorder = createAuditRecorder({ config, folder: folder.path, store, tracing, log, now });
  const streams = createAuditStreams({
    log: recorder,
    now,
    onBroken: (requestId, failure) => {
      const level = failure.kind === 'QueryCancelled' ? 'info' : 'warn';
      const cause = 'cause' in failure ? { err: failure.cause } : {};
      log[level]({ requestId, failure: failure.kind, ...cause }, 'A response was aborted after its first byte');
    },
  });
  return { tracing, recorder, auditCall: createAuditCall(recorder, now), streams };
}
