import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { KeyRing } from '../access/key-ring.ts';
import { createKeyedName, deriveKey } from '../access/secret-box.ts';
import { createShareParameters, createShareTokens } from '../access/share.ts';
import { timeZone, UTC } from '../catalog/time-zone.ts';
import type { Config } from '../config/config.ts';
import { openMemoryFile } from '../operations/memory-file.ts';
import { connectWorkerLimits } from '../operations/worker-limits.ts';
import { createBatchedUses, createQueryRuns } from '../pipeline/batched-uses.ts';
import { createDeliver, createDeliverStream } from '../pipeline/deliver.ts';
import { createCancelCall, createCancelRun, createClusterExecutions, createExecutions } from '../pipeline/executions.ts';
import { createAdmission } from '../pipeline/limits/admission.ts';
import { createCheckRate, createKeySlots } from '../pipeline/limits/key-limits.ts';
import { createKeyRows, createRowQuota } from '../pipeline/limits/row-quota.ts';
import { createSharedLimits } from '../pipeline/limits/shared-limits.ts';
import { createUnsentBytes } from '../pipeline/limits/unsent-bytes.ts';
import { createUserSlots } from '../pipeline/limits/user-slots.ts';
import { createAuthenticateShare, createFindIssuer } from '../pipeline/steps/authenticate.ts';
import { createCheckChoices, createReadChoices } from '../pipeline/steps/choices.ts';
import { createDataFiles } from '../pipeline/steps/data-files.ts';
import { createExecute } from '../pipeline/steps/execute.ts';
import { createReadFigure, type KeptFigure } from '../pipeline/steps/figures.ts';
import { createBrowse } from '../pipeline/use-cases/browse.ts';
import { createDeliverSummary } from '../pipeline/use-cases/chart-summary.ts';
import { createDeliverChoices } from '../pipeline/use-cases/choices.ts';
import { createDeliverData, createDeliverLink } from '../pipeline/use-cases/data.ts';
import { createDownloads } from '../pipeline/use-cases/download.ts';
import { createDeliverExport, createDeliverExportFile, createEncode } from '../pipeline/use-cases/export.ts';
import { createDeliverLongExport } from '../pipeline/use-cases/long-export.ts';
import type { LongRunParts } from '../pipeline/use-cases/long-run.ts';
import { createReadAllRows } from '../pipeline/use-cases/read-all-rows.ts';
import { createResumeStream, createStartStream } from '../pipeline/use-cases/stream.ts';
import { createDeliverPage, createTakePage } from '../pipeline/use-cases/take-page.ts';
import { type Continuations, createContinuations } from '../results/continuation.ts';
import { createExportFiles } from '../results/files/export-files.ts';
import { createSpool } from '../results/files/spool.ts';
import { createSnapshots } from '../results/snapshot/snapshots.ts';
import { createDiskExports } from '../results/storage/disk-exports.ts';
import { createDiskSnapshots } from '../results/storage/disk-snapshots.ts';
import { createS3Exports } from '../results/storage/s3/s3-exports.ts';
import { createS3Snapshots } from '../results/storage/s3/s3-snapshots.ts';
import type { Access } from './access.ts';
import type { Audit } from './audit.ts';
import { shareOf, type Storage } from './storage.ts';

export interface PipelineParts {
  readonly config: Config;
  readonly storage: Storage;
  readonly access: Access;
  readonly audit: Audit;
  readonly log: Logger;
  readonly now: () => number;
}

export type Pipeline = ReturnType<typeof composePipeline>;

/** The pipeline and its use-cases. */
export function composePipeline(parts: PipelineParts) {
  const composed = composeDeliverParts(parts);
  const pages = composePages(parts, composed);
  const exports = composeExports(parts, composed);
  return {
    ...composed,
    takePage: pages.takePage,
    figures: pages.figures,
    readFigure: pages.readFigure,
    exportFiles: exports.files,
    links: exports.links,
    useCases: { ...pages.useCases, ...exports.useCases },
  };
}

type ComposedParts = ReturnType<typeof composeDeliverParts>;

/** Limits, running queries, and the parts that every use-case starts from. */
function composeDeliverParts({ config, storage, access, audit, now }: PipelineParts) {
  const { folder, bucket, store, sharedStore, databases } = storage;
  const settings = access.settings.current;
  const zone = timeZone(config.timeZone) ?? UTC;
  const process = randomUUID();
  const limits = store.limits ?? (config.workers > 1 ? connectWorkerLimits(store.apiKeys) : null);
  const sharedLimits = limits && createSharedLimits(limits, process, now);
  const keySlots = createKeySlots(settings, sharedLimits);
  const perUser = config.maxPerUser;
  const userSlots = sharedLimits && createUserSlots(sharedLimits, perUser);
  const ownAdmission = createAdmission(
    {
      ...{ perDatabase: config.maxPerDatabase, perUser, inAll: config.maxInAll },
      ...{ queue: config.queueLength, queueMs: config.queueSeconds * 1000 },
    },
    userSlots?.mostOf,
  );
  const sharedAdmission = userSlots && userSlots.share(ownAdmission);
  const admission = { ...ownAdmission, ...sharedAdmission };
  const keyRows = createKeyRows(store.apiKeys, now, limits && { limits, process });
  const queryRuns = createQueryRuns(store.queryUses, now);
  const executions = createExecutions();
  const execute = createExecute({
    admission,
    keySlots,
    connections: databases.connections,
    executions,
    config: settings,
  });
  const readChoices = createReadChoices({ store, connections: databases.connections, execute, now, zone });
  const continuations = createRotatingContinuations(folder.keys);
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
    connections: databases.connections,
    continuations,
    snapshots,
    authenticate: access.authenticate,
    auditCall: audit.auditCall,
    checkRate: createCheckRate(settings, now, sharedLimits),
    rowQuota: createRowQuota(keyRows, settings, now),
    unsent: createUnsentBytes({
      perUser: config.unsentMaxBytesUser,
      inAll: shareOf(config.unsentMaxBytesAll, config),
      onRest: createGarbageCollection(),
    }),
    config: settings,
    now,
    zone,
    readAllRows: createReadAllRows(snapshots),
    checkChoices: createCheckChoices(readChoices),
    countRun: queryRuns.note,
    flushRuns: queryRuns.flush,
  };
  return {
    admission,
    continuations,
    snapshots,
    keySlots,
    keyRows,
    queryRuns,
    sharedLimits: sharedLimits && {
      close: sharedLimits.close,
      async renew() {
        await sharedAdmission?.renew();
        await sharedLimits.renew();
      },
    },
    executions,
    clusterExecutions: createClusterExecutions({ executions, store: sharedStore, process, now }),
    execute,
    readChoices,
    deliverParts,
    deliver: createDeliver(deliverParts),
    findIssuer: createFindIssuer(store, now),
  };
}

const logLateFailure =
  (log: PipelineParts['log']): LongRunParts['onLateFailure'] =>
  (requestId, query, err) =>
    log.warn({ requestId, query, err }, 'A result failed after the response to its call');

const MAX_FIGURES = 1000; // a few kilobytes each

/** Results as pages: the first one from the database, later ones from its snapshot. */
function composePages({ storage: { folder }, log }: PipelineParts, composed: ComposedParts) {
  const { deliver, deliverParts } = composed;
  const nameValues = createKeyedName(folder.keys, 'shared results');
  const takePage = createTakePage({
    ...deliverParts,
    execute: composed.execute,
    executions: composed.executions,
    nameValues,
    onLateFailure: logLateFailure(log),
  });
  const deliverPage = createDeliverPage(deliver, takePage);
  const figures = openMemoryFile<KeptFigure>(join(folder.path, 'figures.json'), { max: MAX_FIGURES });
  return {
    takePage,
    figures,
    readFigure: createReadFigure({ ...deliverParts, nameValues, memory: figures }),
    useCases: {
      deliverPage,
      deliverSummary: createDeliverSummary({ ...deliverParts, deliver, takePage }),
      deliverChoices: createDeliverChoices({ deliver, readChoices: composed.readChoices }),
      startStream: createStartStream(deliverPage, deliverParts.continuations),
      resumeStream: createResumeStream(deliver, deliverParts),
      cancelCall: createCancelCall({ ...deliverParts, executions: composed.clusterExecutions }),
      cancelRun: createCancelRun({ ...deliverParts, executions: composed.clusterExecutions }),
      browse: createBrowse(deliverParts),
    },
  };
}

/** Results as files: streamed, or stored for a download. */
function composeExports(
  { config, storage: { folder, store, bucket }, audit, log, now }: PipelineParts,
  { execute, executions, deliver, deliverParts, continuations, findIssuer }: ComposedParts,
) {
  const bounds = {
    maxBytesEach: config.exportMaxBytes,
    maxBytesAll: config.exportMaxBytesAll,
    maxBytesUser: config.exportMaxBytesUser,
  };
  const files = createExportFiles({
    ...bounds,
    storage:
      bucket === null
        ? createDiskExports(folder.exports)
        : createS3Exports({ bucket, redirect: config.s3Redirect, scratch: folder.scratch }),
    now,
  });
  const encode = createEncode({ execute, config: deliverParts.config });
  const auditStream = audit.streams.auditStream;
  const links = {
    tokens: createShareTokens(folder.keys, 'link'),
    parameters: createShareParameters(folder.keys, 'link'),
    views: createBatchedUses(store.links.addViews, now),
  };
  const authenticateLink = createAuthenticateShare({
    kind: 'link',
    tokens: links.tokens,
    shares: store.links,
    authenticationOf: (link) => ({ kind: 'link', link }),
    ...{ findIssuer, now },
  });
  const deliverStream = createDeliverStream({ ...deliverParts, auditStream });
  const data = {
    deliverStream,
    encode,
    files: createDataFiles({ files, store: store.dataFiles, now }),
    nameValues: createKeyedName(folder.keys, 'data files'),
  };
  return {
    files,
    links,
    useCases: {
      deliverExport: createDeliverExport(deliverStream, encode, createSpool({ ...bounds, folder: folder.scratch })),
      deliverData: createDeliverData(data),
      deliverLink: createDeliverLink({
        ...data,
        deliverStream: createDeliverStream({ ...deliverParts, auditStream, authenticate: authenticateLink }),
        parameters: links.parameters,
        recordView: links.views.note,
      }),
      deliverExportFile: createDeliverExportFile({ deliver, encode, files, continuations }),
      deliverLongExport: createDeliverLongExport({
        ...deliverParts,
        ...{ deliver, encode, files, executions, onLateFailure: logLateFailure(log) },
      }),
      downloads: createDownloads({ ...deliverParts, auditStream, files, findIssuer }),
    },
  };
}

/** Continuation codes stay valid after a rotation as long as the secret that sealed them is kept. */
function createRotatingContinuations(ring: KeyRing): Continuations {
  const sealers = ring.each((secret) => createContinuations(deriveKey(secret, 'continuations')));
  return {
    issue: (continuation) => sealers.newest().issue(continuation),
    read: (code, kind) => sealers.find((each) => each.read(code, kind)),
  };
}

/** Twice, because some memory is still in use at the first time, such as the buffers of connections that are being closed. */
const DELAYS_MS = [2000, 6000];

/**
 * Collects garbage some time after the last large response was sent or abandoned: V8 collects only while the service allocates, and an idle
 * service would keep the memory of these responses. `bin/sluice` passes `--expose-gc`.
 */
function createGarbageCollection(): () => void {
  let timers: readonly NodeJS.Timeout[] = [];
  const collect = (): void => globalThis.gc?.({ type: 'major', execution: 'sync' });
  return () => {
    for (const timer of timers) clearTimeout(timer);
    timers = DELAYS_MS.map((delay) => setTimeout(collect, delay).unref());
  };
}
