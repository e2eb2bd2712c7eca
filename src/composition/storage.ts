import { resolve } from 'node:path';
import { createSecretBox } from '../access/secret-box.ts';
import { createDatabaseSecrets, type DatabaseSecrets } from '../administration/databases/database-connection.ts';
import type { Config } from '../config/config.ts';
import type { Connections, ConnectorContext } from '../connectors/connector.ts';
import { defaultMemoryBytes } from '../connectors/embedded/memory-limit.ts';
import { createConnections } from '../connectors/registry.ts';
import { type DataFolder, openDataFolder } from '../operations/data-folder.ts';
import { type Bucket, openBucket } from '../results/storage/s3/bucket.ts';
import type { MetadataCopy } from '../store/metadata-copy.ts';
import type { MetadataStore } from '../store/metadata-store.ts';

/** The data folder, the metadata store and the databases that queries run on. */
export interface Storage {
  readonly folder: DataFolder;
  readonly store: MetadataStore;
  readonly sharedStore: MetadataStore | null; // null: no other process uses the store
  readonly bucket: Bucket | null; // null: results are kept in the data folder
  readonly databases: Databases;
  close(): Promise<void>;
}

export interface Databases {
  readonly secrets: DatabaseSecrets;
  readonly context: ConnectorContext;
  readonly connections: Connections;
}

export async function openStorage(config: Config): Promise<Storage> {
  const folder = openDataFolder(config.dataFolder, config.secrets);
  const bucket = await openObjectStore(config);
  const store = await openStore(config, folder);
  const databases = databasesOf(config, folder);
  const isAlone = config.workers === 1 && config.metadataUrl === null;
  const close = async (): Promise<void> => {
    await databases.connections.closeAll();
    await store.close();
  };
  return { folder, store, sharedStore: isAlone ? null : store, bucket, databases, close };
}

export async function openObjectStore(config: Config): Promise<Bucket | null> {
  if (config.objectStore === null) return null;
  const { hostname, pathname } = new URL(config.objectStore);
  const prefix = pathname.replace(/^\/|\/$/g, '');
  return openBucket({
    bucket: hostname,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint: config.s3Endpoint,
    region: config.s3Region,
    forcePathStyle: config.s3ForcePathStyle,
  });
}

/** The store alone, for commands that need no service. */
export async function openStore(config: Config, folder: DataFolder): Promise<MetadataStore> {
  if (config.metadataUrl === null) return (await sqlite()).openSqliteStore(folder.metadataFile);
  return (await postgres()).openPostgresStore(config.metadataUrl);
}

/** The rows of the store, for backups. */
export async function openCopy(config: Config, { metadataFile }: Pick<DataFolder, 'metadataFile'>): Promise<MetadataCopy> {
  if (config.metadataUrl === null) return (await sqlite()).openSqliteCopy(metadataFile);
  return (await postgres()).openPostgresCopy(config.metadataUrl);
}

const sqlite = () => import('../store/sql/sqlite/sqlite-store.ts');
const postgres = () => import('../store/sql/postgres/postgres-store.ts');

/** The part of the memory of a machine that each of its workers may use. */
export const shareOf = (limit: number, { workers }: Pick<Config, 'workers'>): number => Math.ceil(limit / workers);

export function databasesOf(config: Config, folder: DataFolder): Databases {
  const secrets = createDatabaseSecrets(createSecretBox(folder.keys));
  const context: ConnectorContext = {
    fileFolders: config.fileFolders.map((each) => resolve(each)),
    trustedFiles: [folder.demoFile],
    dataFolder: folder.path,
    scratchFolder: folder.scratch,
    connections: config.maxPerDatabase,
    engineMemoryBytes: shareOf(config.engineMemoryMiB === null ? defaultMemoryBytes() : config.engineMemoryMiB * 2 ** 20, config),
  };
  const connections = createConnections({
    context,
    openSecrets: (database) => (database.builtIn ? { file: folder.demoFile } : secrets.openSecrets(database)),
  });
  return { secrets, context, connections };
}
