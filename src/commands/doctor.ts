import { X509Certificate } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databasesOf, openObjectStore, openStore } from '../composition/storage.ts';
import { type Config, ConfigError, readConfig, settings } from '../config/config.ts';
import { ConnectorError } from '../connectors/connector.ts';
import { version } from '../core/version.ts';
import { type DataFolder, openDataFolder } from '../operations/data-folder.ts';
import { findNativeProblems } from '../operations/native-packages.ts';
import { ObjectStoreError } from '../results/storage/object-store-error.ts';
import { type MetadataStore, StoreError } from '../store/metadata-store.ts';

type Finding = readonly ['ok' | 'warn' | 'FAIL', string];

const PING_MS = 10_000;
const MIN_FREE_BYTES = 2 ** 30;
const CLOCK_MS = 5_000;
const CERTIFICATE_DAYS = 21;
const DAY_MS = 86_400_000;

/**
 * Checks everything that the service needs and changes nothing. Prints one line per finding; the exit code is 1 if one failed.
 */
export async function runDoctor(): Promise<number> {
  let failed = false;
  for await (const [state, text] of findAll()) {
    failed ||= state === 'FAIL';
    process.stdout.write(`${state.padEnd(5)} ${text}\n`);
  }
  return failed ? 1 : 0;
}

async function* findAll(): AsyncGenerator<Finding> {
  yield ['ok', `Sluice ${version} on Node ${process.versions.node}, ${process.platform}-${process.arch}`];
  yield* checkNativePackages();
  const config = attempt(readConfig);
  if (config instanceof Error) return yield ['FAIL', `settings: ${config.message}`];
  yield ['ok', 'settings: all are known and valid'];
  yield* checkCertificate(config);
  if (!existsSync(config.dataFolder)) {
    return yield ['warn', `data folder: ${config.dataFolder} does not exist yet; the first start creates it`];
  }
  const folder = attempt(() => openDataFolder(config.dataFolder, config.secrets));
  if (folder instanceof Error) return yield ['FAIL', `data folder: ${folder.message}`];
  yield* checkDataFolder(folder);
  yield* checkObjectStore(config);
  yield* checkAuditArchive(config);
  const store = await openStore(config, folder).catch(reasonOf);
  if (typeof store === 'string') return yield ['FAIL', `metadata store: ${store}`];
  try {
    yield* checkMetadata(store);
    yield* checkDatabases(config, folder, store);
  } finally {
    await store.close();
  }
}

async function* checkNativePackages(): AsyncGenerator<Finding> {
  const problems = await findNativeProblems();
  if (problems.length === 0) yield ['ok', 'native packages: all can be loaded'];
  for (const { required, message } of problems) yield [required ? 'FAIL' : 'warn', `native package: ${message}`];
}

function* checkCertificate({ tlsCert }: Config): Generator<Finding> {
  if (tlsCert === null) return;
  const read = attempt(() => new X509Certificate(readFileSync(tlsCert)));
  if (read instanceof Error) return yield ['FAIL', `certificate: ${settings.tlsCert.env} cannot be read: ${read.message}`];
  const days = Math.floor((Date.parse(read.validTo) - Date.now()) / DAY_MS);
  const state = days < 0 ? 'FAIL' : days < CERTIFICATE_DAYS ? 'warn' : 'ok';
  yield [state, `certificate: valid until ${new Date(read.validTo).toISOString()}`];
}

/** `openDataFolder` has already checked the file modes. */
function* checkDataFolder(folder: DataFolder): Generator<Finding> {
  yield ['ok', `data folder: ${folder.path}, readable by its owner only`];
  const { bavail, bsize } = statfsSync(folder.path);
  const free = bavail * bsize;
  yield [free < MIN_FREE_BYTES ? 'warn' : 'ok', `disk: ${(free / 2 ** 30).toFixed(1)} GiB free`];
  const probe = join(folder.scratch, `doctor-${process.pid}`);
  const offset = attempt(() => {
    writeFileSync(probe, '');
    return Math.abs(Date.now() - statSync(probe).mtimeMs);
  });
  rmSync(probe, { force: true });
  if (offset instanceof Error) return yield ['FAIL', `data folder: cannot be written: ${offset.message}`];
  // expiry of snapshots and links depends on file times, so the clock of a shared folder's server matters
  yield [offset > CLOCK_MS ? 'warn' : 'ok', `clock: ${Math.round(offset / 1000)} s from the clock of the data folder`];
}

async function* checkObjectStore(config: Config): AsyncGenerator<Finding> {
  const bucket = await openObjectStore(config);
  if (bucket === null) return;
  const name = `object store: ${config.objectStore}`;
  const key = `doctor-${process.pid}`;
  try {
    await bucket.put(key, 'probe');
    const read = await bucket.get(key);
    await bucket.list(key);
    await bucket.remove([key]);
    yield read?.body.toString() === 'probe'
      ? ['ok', `${name} can be written, read, listed and emptied`]
      : ['FAIL', `${name} does not return what was written`];
  } catch (error) {
    if (!(error instanceof ObjectStoreError)) throw error;
    yield ['FAIL', `object store: ${error.message.replace('The object store ', '')}`];
  }
}

function* checkAuditArchive({ auditArchive: archive }: Config): Generator<Finding> {
  if (archive === null) return;
  if (!existsSync(archive)) return yield ['warn', `audit archive: ${archive} does not exist yet; it is created when needed`];
  const denied = attempt(() => accessSync(archive, constants.R_OK | constants.W_OK | constants.X_OK));
  yield denied instanceof Error
    ? ['FAIL', `audit archive: cannot be written: ${denied.message}`]
    : ['ok', `audit archive: ${archive} can be written`];
}

async function* checkMetadata(store: MetadataStore): AsyncGenerator<Finding> {
  const users = await store.users.count().catch(reasonOf);
  if (typeof users === 'string') return yield ['FAIL', `metadata store: ${users}`];
  const statuses = Object.entries(await store.queries.countByStatus()).map(([status, count]) => `${count} ${status}`);
  yield ['ok', `metadata store: ${users} users; queries: ${statuses.join(', ') || 'none'}`];
}

async function* checkDatabases(config: Config, folder: DataFolder, store: MetadataStore): AsyncGenerator<Finding> {
  const { connections } = databasesOf(config, folder);
  try {
    for (const database of await store.databases.listAll()) {
      const name = `database ${database.name} (${database.kind})`;
      if (database.disabled) {
        yield ['ok', `${name}: disabled`];
        continue;
      }
      const ping = connections.connectorFor(database).then((connector) => connector.ping(AbortSignal.timeout(PING_MS)));
      const warnings = await ping.catch(reasonOf);
      if (typeof warnings === 'string') yield ['FAIL', `${name}: ${warnings}`];
      else if (warnings.length > 0) yield ['warn', `${name}: ${warnings.join(' ')}`];
      else yield ['ok', `${name}: answers`];
    }
  } finally {
    await connections.closeAll();
  }
}

function attempt<T>(work: () => T): T | Error {
  try {
    return work();
  } catch (error) {
    if (error instanceof ConfigError || (error instanceof Error && 'code' in error)) return error;
    throw error;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ConnectorError || error instanceof StoreError) return error.message;
  throw error;
}
