import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { KeyRing } from '../access/key-ring.ts';
import { deriveKey, keyedName } from '../access/secret-box.ts';
import { timeZone, UTC } from '../catalog/time-zone.ts';
import type { Config } from '../config/config.ts';
import { createAdmission } from '../delivery/admission.ts';
import { createClusterExecutions } from '../delivery/cluster-executions.ts';
import { createDeliver, createDeliverStream } from '../delivery/deliver.ts';
import { createExecutions } from '../delivery/executions.ts';
import { createKeyRows } from '../delivery/key-rows.ts';
import { createQueryRuns } from '../delivery/query-runs.ts';
import { createReplicaAdmission } from '../delivery/replica-admission.ts';
import { createSharedLimits } from '../delivery/shared-limits.ts';
import { createFindIssuer } from '../delivery/steps/authenticate.ts';
import { createCheckChoices, createReadChoices } from '../delivery/steps/choices.ts';
import { createEncode } from '../delivery/steps/encode.ts';
import { createExecute } from '../delivery/steps/execute.ts';
import { createKeySlots } from '../delivery/steps/key-slots.ts';
import { createRowQuota } from '../delivery/steps/row-quota.ts';
import { createWithinRate } from '../delivery/steps/within-rate.ts';
import { createUnsentBytes } from '../delivery/unsent-bytes.ts';
import { createBrowse } from '../delivery/use-cases/browse.ts';
import { createCancelCall } from '../delivery/use-cases/cancel-call.ts';
import { createDeliverChoices } from '../delivery/use-cases/choices.ts';
import { createDownloads } from '../delivery/use-cases/download.ts';
import { createDeliverExport, createDeliverExportFile } from '../delivery/use-cases/export.ts';
import { createDeliverPage, createTakePage } from '../delivery/use-cases/page.ts';
import { createResumeStream, createStartStream } from '../delivery/use-cases/stream.ts';
import { type Continuations, createContinuations } from '../results/continuation.ts';
import { createExportFiles } from '../results/files/export-files.ts';
import { createSpools } from '../results/files/spool.ts';
import { createSnapshots } from '../results/snapshot/snapshots.ts';
import { createDiskExports } from '../results/storage/disk-exports.ts';
import { createDiskSnapshots } from '../results/storage/disk-snapshots.ts';
import { createS3Exports } from '../results/storage/s3/s3-exports.ts';
import { createS3Snapshots } from '../results/storage/s3/s3-snapshots.ts';
import type { Access } from './access.ts';
import type { Audit } from './audit.ts';
import { createGarbageCollection } from './collect-garbage.ts';
import type { Storage } from './storage.ts';

export interface DeliveryParts {
  readonly config: Config;
  readonly storage: Storage;
  readonly access: Access;
  readonly audit: Audit;
  readonly log: Logger;
  readonly now: () => number;
}

export type Delivery = ReturnType<typeof composeDelivery>;

/** The pipeline and its use-cases. */
export function composeDelivery(parts: DeliveryParts) {
  const pipeline = composePipeline(parts);
  const pages = composePages(parts, pipeline);
  const exports = composeExports(parts, pipeline);
  return {
    ...pipeline,
    takePage: pages.takePage,
    exportFiles: exports.files,
    useCases: { ...pages.useCases, ...exports.useCases },
  };
}

type Pipeline = ReturnType<typeof composePipeline>;

/** Limits, running queries, and the parts that every use-case of delivery starts from. */
function composePipeline({ config, storage, access, audit, now }: DeliveryParts) {
  const { folder, bucket, store, sharedStore, databases } = storage;
  const settings = access.settings.current;
  const zone = timeZone(config.timeZone) ?? UTC;
  const admission = createAdmission({
    perDatabase: config.maxPerDatabase,
    perUser: config.maxPerUser,
    inAll: config.maxInAll,
    queue: config.queueLength,
    queueMs: config.queueSeconds * 1000,
  });
  const process = randomUUID();
  const sharedLimits = store.limits === null ? null : createSharedLimits(store.limits, process, now);
  const keySlots = createKeySlots(settings, sharedLimits);
  const replicaAdmission =
    sharedLimits &&
    createReplicaAdmission(admission, sharedLimits, {
      mostPerUser: config.maxPerUser,
      mostWaiting: config.queueLength,
      waitMs: config.queueSeconds * 1000,
    });
  const keyRows = createKeyRows(store.apiKeys, now, store.limits && { limits: store.limits, process });
  const queryRuns = createQueryRuns(store.queryUses, now);
  const executions = createExecutions();
  const execute = createExecute({
    admission: { ...admission, ...replicaAdmission },
    keySlots,
    connections: databases.connections,
    executions,
    config: settings,
  });
  const present = () => ({ now: now(), zone });
  const readChoices = createReadChoices({ store, execute, present });
  const continuations = rotatingContinuations(folder.keys);
  const snapshots = createSnapshots({
    storage: bucket === null ? createDiskSnapshots({ folder: folder.snapshots, now }) : createS3Snapshots({ bucket, now }),
    now,
    maxBytesEach: config.snapshotMaxBytes,
    maxRowsEach: config.snapshotMaxRows,
    maxBytesAll: config.snapshotMaxBytesAll,
    maxBytesUser: config.snapshotMaxBytesUser,
    load: admission,
    maxPaused: Math.max(1, Math.floor(config.maxPerDatabase / 2)),
  });
  const deliverParts = {
    store,
    continuations,
    snapshots,
    authenticate: access.authenticate,
    audited: audit.audited,
    withinRate: createWithinRate(settings, now, sharedLimits),
    rowQuota: createRowQuota(keyRows, settings, now),
    unsent: createUnsentBytes({
      perUser: config.unsentMaxBytesUser,
      inAll: config.unsentMaxBytesAll,
      onRest: createGarbageCollection(),
    }),
    present,
    checkChoices: createCheckChoices(readChoices),
    countRun: queryRuns.note,
  };
  return {
    admission,
    continuations,
    snapshots,
    keySlots,
    keyRows,
    queryRuns,
    sharedLimits,
    executions,
    clusterExecutions: createClusterExecutions({ executions, store: sharedStore, process, now }),
    execute,
    readChoices,
    deliverParts,
    deliver: createDeliver(deliverParts),
    findIssuer: createFindIssuer(store, now),
  };
}

/** Results as pages: the first one from the database, later ones from its snapshot. */
function composePages({ storage: { folder }, access, log, now }: DeliveryParts, pipeline: Pipeline) {
  const { deliver, deliverParts } = pipeline;
  const { snapshots, continuations } = deliverParts;
  const pageParts = { snapshots, continuations, config: access.settings.current };
  const takePage = createTakePage({
    ...pageParts,
    execute: pipeline.execute,
    now,
    sharedName: keyedName(folder.keys, 'shared results'),
    drainFailed: (requestId, query, err) => log.warn({ requestId, query, err }, 'A result failed after its first page'),
  });
  const deliverPage = createDeliverPage(deliver, takePage);
  return {
    takePage,
    useCases: {
      deliverPage,
      deliverChoices: createDeliverChoices({ deliver, readChoices: pipeline.readChoices }),
      startStream: createStartStream(deliverPage, continuations),
      resumeStream: createResumeStream(deliver, pageParts),
      cancelCall: createCancelCall({ ...deliverParts, executions: pipeline.clusterExecutions }),
      browse: createBrowse(deliverParts),
    },
  };
}

/** Results as files: streamed, or stored for a download. */
function composeExports(
  { config, storage: { folder, store, bucket }, access, audit, now }: DeliveryParts,
  { execute, deliver, deliverParts, continuations, findIssuer }: Pipeline,
) {
  const bounds = {
    maxBytesEach: config.exportMaxBytes,
    maxBytesAll: config.exportMaxBytesAll,
    maxBytesUser: config.exportMaxBytesUser,
  };
  const files = createExportFiles({
    ...bounds,
    storage: bucket === null ? createDiskExports(folder.exports) : createS3Exports({ bucket, redirect: config.s3Redirect }),
    now,
  });
  const encode = createEncode({ execute, config: access.settings.current });
  const auditedStream = audit.streams.audited;
  return {
    files,
    useCases: {
      deliverExport: createDeliverExport({
        deliverStream: createDeliverStream({ ...deliverParts, auditedStream }),
        encode,
        spools: createSpools({ ...bounds, folder: folder.scratch }),
      }),
      deliverExportFile: createDeliverExportFile({ deliver, encode, files, continuations }),
      downloads: createDownloads({
        audited: audit.audited,
        auditedStream,
        files,
        continuations,
        findIssuer,
        store,
        unsent: deliverParts.unsent,
        now,
      }),
    },
  };
}

/** Continuation codes stay valid after a rotation as long as the secret that sealed them is kept. */
function rotatingContinuations(ring: KeyRing): Continuations {
  const sealers = ring.each((secret) => createContinuations(deriveKey(secret, 'continuations')));
  return {
    issue: (continuation) => sealers.newest().issue(continuation),
    read: (code, kind) => sealers.find((each) => each.read(code, kind)),
  };
}
