import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { demoQueries } from '../demo/catalog.ts';
import { createPasswords } from './access/password.ts';
import { sealShares } from './administration/shares.ts';
import { type Access, composeAccess } from './composition/access.ts';
import { composeAdministration, composeSignIn } from './composition/administration.ts';
import { composeAudit } from './composition/audit.ts';
import { composeEmbedding, type Embedding } from './composition/embedding.ts';
import { composeOAuth } from './composition/oauth.ts';
import { composePipeline, type Pipeline, type PipelineParts } from './composition/pipeline.ts';
import { openStorage, type Storage } from './composition/storage.ts';
import type { Config } from './config/config.ts';
import { loadDriver } from './connectors/load-driver.ts';
import { type Doors, openDoors } from './doors/open-doors.ts';
import { type AuditArchive, createAuditArchive } from './operations/audit-archive.ts';
import { lockInstallation } from './operations/data-folder.ts';
import { drawDemoFigures } from './operations/demo-figures.ts';
import { prepareFirstStart } from './operations/first-start.ts';
import { type Counter, startHousekeeping } from './operations/housekeeping.ts';
import { createLog } from './operations/log.ts';
import { createReadiness } from './operations/readiness.ts';
import { requireSecretOf } from './operations/require-secret.ts';
import { connectWorkerMetrics } from './operations/worker-metrics.ts';
import { ObjectStoreError } from './results/storage/object-store-error.ts';

export interface Service {
  readonly url: string;
  /** Stops accepting calls, lets running ones finish for a while, cancels the rest, closes the stores. */
  close(): Promise<void>;
}

const PROBE_MS = 4_000;

/** After the drain time, cancelled queries get this long to respond before their connections are closed. */
const CANCEL_GRACE_MS = 2_000;

/**
 * Prepares and serves an installation in one process. A generated password is announced as soon as it exists, because it is not generated again
 * if a later step fails, for example on a port in use.
 */
export async function startService(
  config: Config,
  log: Logger = createLog(config),
  announcePassword: (password: string) => void = () => {},
  now: () => number = Date.now,
): Promise<Service> {
  const release = lockInstallation(config);
  try {
    await prepareInstallation(config, log, announcePassword);
    const service = await openService(config, log, now);
    const close = async (): Promise<void> => {
      await service.close();
      release();
    };
    return { url: service.url, close };
  } catch (error) {
    release();
    throw error;
  }
}

/** Fills an empty store and checks that its secrets can be opened. Done once, whatever the number of processes. */
export async function prepareInstallation(
  config: Config,
  log: Logger,
  announcePassword: (password: string) => void,
): Promise<void> {
  const { folder, store, bucket, databases, close } = await openStorage(config);
  try {
    await requireSecretOf(store, folder, databases.secrets);
    await bucket?.probe(AbortSignal.timeout(PROBE_MS)).catch(refuseOrWarn(log));
    const demo = { file: folder.demoFile, make: makeDemo, queries: demoQueries };
    const { connections } = databases;
    const parts = { config, store, passwords: createPasswords(), connections, demo, now: Date.now };
    const { generatedPassword, demoProblem } = await prepareFirstStart(parts);
    if (generatedPassword !== null) announcePassword(generatedPassword);
    if (demoProblem !== null) log.warn(`The demo was not created; a later start tries again: ${demoProblem}`);
    await sealShares(store, folder.keys, 'open');
  } finally {
    await close();
  }
}

/** A wrong bucket or credential is a mistake; a store that is away may come back. */
const refuseOrWarn = (log: Logger) => (error: unknown) => {
  if (!(error instanceof ObjectStoreError) || error.isRefusal) throw error;
  log.warn({ err: error }, 'The object store cannot be reached');
};

async function makeDemo(file: string): Promise<void> {
  const { createDemoDatabase } = await loadDriver('DuckDB', () => import('../demo/database.ts'));
  await createDemoDatabase(file);
}

/** The composition root of a serving process: storage → access → pipeline → administration → doors → housekeeping. */
export async function openService(
  config: Config,
  log: Logger = createLog(config),
  now: () => number = Date.now,
): Promise<Service> {
  const storage = await openStorage(config);
  try {
    const access = await composeAccess(config, storage, log, now);
    const audit = await composeAudit(config, storage, log, now);
    const parts = { config, storage, access, audit, log, now };
    const pipeline = composePipeline(parts);
    const embedding = composeEmbedding(parts, pipeline);
    const { provider, ...signIn } = composeSignIn(parts);
    const oauth = composeOAuth(parts, provider);
    const administration = composeAdministration(parts, pipeline, embedding, oauth);

    const { authenticate } = access;
    const { useCases, deliverParts } = pipeline;
    const { checkRate, unsent } = deliverParts;
    const doors = await openDoors({
      config,
      log,
      tracing: audit.tracing,
      health: {
        readiness: createReadiness({ ...storage, audit: audit.recorder }),
        admission: pipeline.admission,
        connectMetrics: config.workers > 1 ? connectWorkerMetrics : null,
      },
      rest: useCases,
      mcp: {
        ...useCases,
        deliverChartPage: embedding.deliverChartPage,
        continuations: pipeline.continuations,
        now,
        rowsDefault: () => access.settings.current().rowsDefault,
        waitMs: () => access.settings.current().mcpWaitSeconds * 1000,
      },
      embeds: config.edition === 'extended' ? embedding.useCases : null,
      session: {
        ...signIn,
        authenticate,
        rowLimits: () => {
          const { rowsDefault, rowsMax } = access.settings.current();
          return { rowsDefault, rowsMax };
        },
      },
      authorizationServer: oauth?.server ?? null,
      management: { authenticate, checkRate, unsent, auditCall: audit.auditCall },
      administration,
    });

    access.service.url = doors.url;
    storage.store.catalog.count({}).catch(() => undefined); // the first list need not wait for the index
    const counters = listCounters(access, pipeline, embedding);
    const { clusterExecutions, sharedLimits, snapshots, exportFiles } = pipeline;
    const housekeeping = startHousekeeping({
      ...{ counters, clusterExecutions, sharedLimits, snapshots, exportFiles, log, now },
      settings: access.settings,
      signIn: signIn.signIn,
      unknownCallers: audit.recorder,
      auditArchive: auditArchiveOf(config, storage, now),
      process: randomUUID(),
      store: storage.store,
    });
    const ended = new AbortController();
    const drawing = config.demo
      ? drawDemoFigures({ ...pipeline, store: storage.store, now }, ended.signal).catch((err: unknown) =>
          log.warn({ err }, 'The figures of the demo were not drawn'),
        )
      : null;
    const close = async (): Promise<void> => {
      ended.abort();
      await drawing;
      housekeeping.stop();
      pipeline.snapshots.prepareToClose();
      await closeService({ ...parts, pipeline, embedding, doors, counters });
    };
    return { url: doors.url, close };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

const auditArchiveOf = ({ auditArchive: folder }: Config, { store }: Storage, now: () => number): AuditArchive | null =>
  folder === null ? null : createAuditArchive({ folder, store, process: randomUUID(), now });

const listCounters = (access: Access, pipeline: Pipeline, embedding: Embedding): readonly Counter[] => [
  { what: 'views of embeds', flush: embedding.views.flush },
  { what: 'uses of data links', flush: pipeline.links.views.flush },
  { what: 'the use of keys', flush: access.keyUses.flush },
  { what: 'the use of AI applications', flush: access.grantUses.flush },
  { what: 'the calls of viewers', flush: access.viewerUses.flush },
  { what: 'the rows of keys', flush: pipeline.keyRows.flush },
  { what: 'the runs of queries', flush: pipeline.queryRuns.flush },
];

interface OpenedService extends PipelineParts {
  readonly pipeline: Pipeline;
  readonly embedding: Embedding;
  readonly doors: Doors;
  readonly counters: readonly Counter[];
}

async function closeService(opened: OpenedService): Promise<void> {
  const { config, storage, audit, pipeline, embedding, doors, counters, log, now } = opened;
  const warn = (message: string) => (err: unknown) => log.warn({ err }, message);
  const drainMs = config.drainSeconds * 1000;
  const deadline = now() + drainMs;
  const deadlines = [
    setTimeout(() => pipeline.executions.cancelAll(), drainMs),
    setTimeout(() => doors.cutOff(), drainMs + CANCEL_GRACE_MS),
  ];
  // in this order: calls that still wait for their first row need open snapshots
  await doors.close();
  await pipeline.snapshots.close({ graceMs: Math.max(0, deadline - now()) });
  deadlines.forEach(clearTimeout);
  await pipeline.sharedLimits?.close().catch(() => undefined); // others take its slots over after some seconds anyway
  await audit.streams.whenSettled();
  await audit.recorder.flush();
  await pipeline.clusterExecutions.exchange().catch(() => undefined); // entries of other processes expire anyway
  await embedding.close();
  for (const { what, flush } of counters) await flush().catch(warn(`Recording ${what} failed at the end`));
  await pipeline.figures.flush().catch(warn('The last figures could not be stored'));
  await audit.tracing?.close().catch(warn('The last traces could not be sent'));
  await storage.close();
}
