import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { type DestinationStream, type Logger, pino } from 'pino';
import { demoQueries } from '../demo/catalog.ts';
import { withoutKeys } from './access/api-key.ts';
import { createCredentialMemory } from './access/credential-memory.ts';
import { createGuessLimit } from './access/guess-limit.ts';
import { createAttempts } from './access/oidc/oidc-attempt.ts';
import { createPasswords } from './access/password.ts';
import { rotatingContinuations } from './access/rotating-continuations.ts';
import { keyedName, rotatingSecretBox } from './access/secret-box.ts';
import { createDatabaseSecrets } from './administration/databases/database-secrets.ts';
import { sealEmbeds } from './administration/embeds/seal-embeds.ts';
import { createRuntimeSettings } from './administration/settings.ts';
import { createOidcProvider } from './administration/sign-in/oidc-provider.ts';
import { type OidcSignIn, type OidcSignInParts, createOidcSignIn } from './administration/sign-in/oidc-sign-in.ts';
import { createSignIn } from './administration/sign-in/sign-in.ts';
import type { Config } from './config/config.ts';
import type { Connections, Surroundings } from './connectors/connector.ts';
import { loadDriver } from './connectors/load-driver.ts';
import { connectorKinds, createConnections } from './connectors/registry.ts';
import { createAdmission } from './delivery/admission.ts';
import { createDeliver, createDeliverStream } from './delivery/deliver.ts';
import { createExecutions } from './delivery/executions.ts';
import { createKeyRate } from './delivery/key-rate.ts';
import { createKeyRows } from './delivery/key-rows.ts';
import { createKeyUses } from './delivery/key-uses.ts';
import { createRunningEverywhere } from './delivery/running-everywhere.ts';
import { createAuditedStreams } from './delivery/steps/audited-stream.ts';
import { createAudited } from './delivery/steps/audited.ts';
import { createAuthenticate } from './delivery/steps/authenticate.ts';
import { createEncode } from './delivery/steps/encode.ts';
import { createExecute } from './delivery/steps/execute.ts';
import { createGuessDelay } from './delivery/steps/guess-delay.ts';
import { createIdentified } from './delivery/steps/identified.ts';
import { createFindIssuer } from './delivery/steps/issuer.ts';
import { createKeyPlaces } from './delivery/steps/key-places.ts';
import { createRowQuota } from './delivery/steps/row-quota.ts';
import { createSharedGuesses } from './delivery/steps/shared-guesses.ts';
import { createWithinRate } from './delivery/steps/within-rate.ts';
import type { Tracing } from './delivery/tracing.ts';
import { createUnsentBytes } from './delivery/unsent-bytes.ts';
import { createBrowse } from './delivery/use-cases/browse.ts';
import { createDownloads } from './delivery/use-cases/download.ts';
import { createDeliverExportFile } from './delivery/use-cases/export-file.ts';
import { createDeliverExport } from './delivery/use-cases/export.ts';
import { createContinue } from './delivery/use-cases/next-page.ts';
import { createDeliverPage } from './delivery/use-cases/page.ts';
import { createDeliverParameters } from './delivery/use-cases/query-parameters.ts';
import { createStartStream } from './delivery/use-cases/stream.ts';
import { openDoors } from './doors/open-doors.ts';
import { createEmbedding, embedParametersOf } from './embedding.ts';
import type { Failure } from './errors.ts';
import { createAuditArchive } from './operations/audit-archive.ts';
import { createAuditRecorder } from './operations/audit-recording.ts';
import { clearScratch, type DataFolder, lockDataFolder, openDataFolder } from './operations/data-folder.ts';
import { firstStart } from './operations/first-start.ts';
import { startHousekeeping } from './operations/housekeeping.ts';
import { createExportFiles } from './results/files/export-files.ts';
import { createSpools } from './results/files/spool.ts';
import { createSnapshots } from './results/snapshot/snapshots.ts';
import type { MetadataCopy } from './store/metadata-copy.ts';
import type { MetadataStore } from './store/metadata-store.ts';

export interface Service {
  readonly url: string;
  /** Stops accepting, lets running calls finish for a while, cancels the rest, closes the stores. */
  close(): Promise<void>;
}

/** Past the drain time: cancelled queries get this long to say so before their connections are cut. */
const CANCEL_GRACE_MS = 2_000;

/**
 * An installation that one process prepares and serves. A generated password is told as soon as it exists: whatever fails later, such as a port
 * in use, it is not generated again.
 */
export async function startService(
  config: Config,
  log: Logger = createLog(config),
  announcePassword: (password: string) => void = () => {},
  now: () => number = Date.now,
): Promise<Service> {
  const { generatedPassword, release } = await prepare(config, log);
  if (generatedPassword !== null) announcePassword(generatedPassword);
  try {
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

/** What is done once, however many processes then serve: the data folder is claimed, an empty store gets its first users and catalog. */
export async function prepare(config: Config, log: Logger): Promise<{ generatedPassword: string | null; release: () => void }> {
  const folder = openDataFolder(config.dataFolder);
  const lock = config.metadataUrl === null ? lockDataFolder(folder) : null;
  const release = (): void => lock?.release();
  try {
    if (lock !== null) clearScratch(folder);
    const store = await openStore(config, folder);
    const { connections } = databasesOf(config, folder);
    try {
      const demo = { file: folder.demoFile, make: makeDemo, queries: demoQueries };
      const parts = { config, store, passwords: createPasswords(), connections, demo, now: Date.now };
      const { generatedPassword, demoProblem } = await firstStart(parts);
      if (demoProblem !== null) log.warn(`The demo was not created; a later start tries again: ${demoProblem}`);
      await sealEmbeds(store, embedParametersOf(folder.keys), 'open');
      return { generatedPassword, release };
    } finally {
      await closeStores(connections, store);
    }
  } catch (error) {
    release();
    throw error;
  }
}

async function makeDemo(file: string): Promise<void> {
  const { createDemoDatabase } = await loadDriver('DuckDB', () => import('../demo/database.ts'));
  await createDemoDatabase(file);
}

/** Composition root of a process that serves: config → store → connectors → delivery → doors. */
export async function openService(
  config: Config,
  log: Logger = createLog(config),
  now: () => number = Date.now,
): Promise<Service> {
  const folder = openDataFolder(config.dataFolder);
  const store = await openStore(config, folder);
  const { secrets, surroundings, connections } = databasesOf(config, folder);
  const passwords = createPasswords();

  const runtime = createRuntimeSettings({ config, store });
  await runtime.reload();
  const keyUses = createKeyUses(store.apiKeys, now);
  const guesses = createGuessLimit();
  const isAlone = config.workers === 1 && config.metadataUrl === null;
  const sharedGuesses = createSharedGuesses(isAlone ? null : store);
  const authenticate = createAuthenticate({
    store,
    passwords,
    memory: createCredentialMemory(),
    guesses,
    sharedGuesses,
    guessDelay: createGuessDelay(),
    keyUsed: keyUses.note,
    now,
  });
  const tracing = config.tracesEndpoint === null ? null : await tracingTo(config.tracesEndpoint);
  const trail = createAuditRecorder({ config, folder: folder.path, store, tracing, log, now });
  const audited = createAudited(trail, now);
  const admission = createAdmission({
    perDatabase: config.maxPerDatabase,
    perUser: config.maxPerUser,
    inAll: config.maxInAll,
    queue: config.queueLength,
    queueMs: config.queueSeconds * 1000,
  });
  const executions = createExecutions();
  const running = createRunningEverywhere({ executions, store: isAlone ? null : store, process: randomUUID(), now });
  const snapshots = createSnapshots({
    folder: folder.snapshots,
    now,
    maxBytesEach: config.snapshotMaxBytes,
    maxRowsEach: config.snapshotMaxRows,
    maxBytesAll: config.snapshotMaxBytesAll,
    maxBytesUser: config.snapshotMaxBytesUser,
  });
  const withinRate = createWithinRate(createKeyRate(), runtime.current, now);
  const keyRows = createKeyRows(store.apiKeys, now);
  const rowQuota = createRowQuota(keyRows, runtime.current, now);
  const keyPlaces = createKeyPlaces(runtime.current);
  const unsent = createUnsentBytes({ perUser: config.unsentMaxBytesUser, inAll: config.unsentMaxBytesAll });
  const deliverParts = { store, authenticate, audited, withinRate, rowQuota, unsent };
  const deliver = createDeliver(deliverParts);
  const execute = createExecute({ admission, keyPlaces, connections, executions, config: runtime.current });
  const continuations = rotatingContinuations(folder.keys);
  const signIn = createSignIn({ store, authenticate, audited, now });
  const streams = createAuditedStreams({
    log: trail,
    now,
    broke: (requestId, failure) => {
      const level = failure.kind === 'QueryCancelled' ? 'info' : 'warn';
      log[level]({ requestId, ...described(failure) }, 'A response was aborted after its first byte');
    },
  });
  const exportFiles = createExportFiles({ ...exportBounds(config), folder: folder.exports, now });
  const encode = createEncode({ execute, config: runtime.current });

  const deliverPage = createDeliverPage({
    sharedName: keyedName(folder.keys, 'shared results'),
    deliver,
    execute,
    snapshots,
    continuations,
    store,
    config: runtime.current,
    now,
    drainFailed: (requestId, query, err) => log.warn({ requestId, query, err }, 'A result failed after its first page'),
  });
  const identified = createIdentified(deliverParts);
  const findIssuer = createFindIssuer(store, now);
  const embedding = createEmbedding({
    deliverParts,
    execute,
    store,
    findIssuer,
    keys: folder.keys,
    config: runtime.current,
    now,
  });

  const doors = await openDoors({
    tracing,
    config,
    log,
    store,
    now,
    newId: randomUUID,
    authenticate,
    withinRate,
    unsent,
    rowQuota,
    keyPlaces,
    audited,
    admission,
    executions: running,
    runningHere: executions,
    runtime,
    signIn,
    oidcSignIn: oidcSignInFor(config, { store, audited, now, attempts: createAttempts(folder.keys) }),
    passwords,
    guesses,
    sharedGuesses,
    connections,
    connectorKinds,
    secrets,
    surroundings,
    deliverPage,
    startStream: createStartStream(deliverPage, continuations),
    continued: createContinue({ identified, rowQuota, store, snapshots, continuations, config: runtime.current }),
    browse: createBrowse({ identified, store, continuations }),
    deliverParameters: createDeliverParameters(deliverParts),
    embedding,
    deliverExport: createDeliverExport({
      deliverStream: createDeliverStream({ ...deliverParts, auditedStream: streams.audited }),
      encode,
      spools: createSpools({ ...exportBounds(config), folder: folder.scratch }),
    }),
    deliverExportFile: createDeliverExportFile({ deliver, encode, files: exportFiles, continuations }),
    downloads: createDownloads({
      audited,
      auditedStream: streams.audited,
      files: exportFiles,
      continuations,
      findIssuer,
      store,
      unsent,
      now,
    }),
  }).catch(async (error: unknown) => {
    await closeStores(connections, store);
    throw error;
  });
  const housekeeping = startHousekeeping({
    runtime,
    running,
    snapshots,
    exportFiles,
    signIn,
    keyUses,
    keyRows,
    unknownCallers: trail,
    embedViews: embedding.views,
    auditArchive:
      config.auditArchive === null
        ? null
        : createAuditArchive({ folder: config.auditArchive, store, process: randomUUID(), now }),
    process: randomUUID(),
    store,
    log,
    now,
  });

  const close = async (): Promise<void> => {
    housekeeping.stop();
    const drainMs = config.drainSeconds * 1000;
    const deadline = now() + drainMs;
    const deadlines = [
      setTimeout(() => executions.cancelAll(), drainMs),
      setTimeout(() => doors.cutOff(), drainMs + CANCEL_GRACE_MS),
    ];
    // in this order: a call that still waits for its first row must find the snapshots open
    await doors.close();
    await snapshots.close({ graceMs: Math.max(0, deadline - now()) });
    deadlines.forEach(clearTimeout);
    await streams.settled();
    await trail.flush();
    await running.exchange().catch(() => undefined); // others forget what it told before long
    await embedding.close();
    await embedding.views.flush().catch((err: unknown) => log.warn({ err }, 'The last views of embeds could not be recorded'));
    await keyUses.flush().catch((err: unknown) => log.warn({ err }, 'The last uses of keys could not be recorded'));
    await keyRows.flush().catch((err: unknown) => log.warn({ err }, 'The last rows of keys could not be recorded'));
    await tracing?.close().catch((err: unknown) => log.warn({ err }, 'The last traces could not be sent'));
    await closeStores(connections, store);
  };
  return { url: doors.url, close };
}

function oidcSignInFor(
  config: Config,
  parts: Pick<OidcSignInParts, 'store' | 'audited' | 'now' | 'attempts'>,
): OidcSignIn | null {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret, oidcScopes: scopes } = config;
  if (issuer === null || clientId === null) return null;
  return createOidcSignIn({
    ...parts,
    name: config.oidcName,
    issuer,
    provider: createOidcProvider({ issuer, clientId, clientSecret, scopes }, parts.now),
    rules: {
      usernameClaim: config.oidcUsernameClaim,
      rolesClaim: config.oidcRolesClaim,
      roleMap: config.oidcRoleMap,
      databaseMap: config.oidcDatabaseMap,
      defaultRoles: config.oidcDefaultRoles,
    },
  });
}

const exportBounds = ({ exportMaxBytes, exportMaxBytesAll, exportMaxBytesUser }: Config) => ({
  maxBytesEach: exportMaxBytes,
  maxBytesAll: exportMaxBytesAll,
  maxBytesUser: exportMaxBytesUser,
});

const described = (failure: Failure) => ({ failure: failure.kind, ...('cause' in failure ? { err: failure.cause } : {}) });

/** A key that stands in a line, such as one that a database quotes, is not written. */
export const createLog = (
  { logLevel }: Pick<Config, 'logLevel'>,
  to: DestinationStream = pino.destination({ dest: 2, sync: true }),
): Logger => pino({ level: logLevel, base: { pid: process.pid }, hooks: { streamWrite: withoutKeys } }, to);

const tracingTo = async (endpoint: string): Promise<Tracing> => (await import('./operations/tracing.ts')).startTracing(endpoint);

/** The store alone, for commands that need no service. */
export async function openStore(config: Config, folder: DataFolder): Promise<MetadataStore> {
  if (config.metadataUrl === null) {
    const { openSqliteStore } = await import('./store/sql/sqlite.ts');
    return openSqliteStore(folder.metadataFile);
  }
  const { openPostgresStore } = await import('./store/sql/postgres.ts');
  return openPostgresStore(config.metadataUrl);
}

/** The store as rows, for backups. */
export async function openCopy(config: Config, folder: DataFolder): Promise<MetadataCopy> {
  if (config.metadataUrl === null) {
    const { openSqliteCopy } = await import('./store/sql/sqlite-copy.ts');
    return openSqliteCopy(folder.metadataFile);
  }
  const { openPostgresCopy } = await import('./store/sql/postgres-copy.ts');
  return openPostgresCopy(config.metadataUrl);
}

/** The databases that queries run on, and what opens them. */
export function databasesOf(config: Config, folder: DataFolder) {
  const secrets = createDatabaseSecrets(rotatingSecretBox(folder.keys));
  const surroundings: Surroundings = {
    fileFolders: config.fileFolders.map((each) => resolve(each)),
    trustedFiles: [folder.demoFile],
    dataFolder: folder.path,
    scratchFolder: folder.scratch,
    connections: config.maxPerDatabase,
    ...(config.engineMemoryMiB === null ? {} : { engineMemoryBytes: config.engineMemoryMiB * 2 ** 20 }),
  };
  const connections = createConnections({
    surroundings,
    openSecrets: (database) => (database.builtIn ? { file: folder.demoFile } : secrets.openSecrets(database)),
  });
  return { secrets, surroundings, connections };
}

async function closeStores(connections: Connections, store: MetadataStore): Promise<void> {
  await connections.closeAll();
  await store.close();
}
