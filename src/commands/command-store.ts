import { existsSync } from 'node:fs';
import { openStore } from '../composition/storage.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { type DataFolder, metadataFileOf, openDataFolder } from '../operations/data-folder.ts';
import type { MetadataStore } from '../store/metadata-store.ts';

/** The folder of an installation that exists: a command with the wrong settings must not create another one. */
export function openInstallation(config: Config): DataFolder {
  if (config.metadataUrl === null && !existsSync(metadataFileOf(config.dataFolder))) {
    throw new ConfigError(`there is no installation in ${config.dataFolder}; set SLUICE_DATA as for the service`);
  }
  return openDataFolder(config.dataFolder, config.secrets);
}

/** Opens the store for a command, which may run while the service runs. */
export async function withStore<T>(config: Config, work: (store: MetadataStore, folder: DataFolder) => Promise<T>): Promise<T> {
  const folder = openInstallation(config);
  const store = await openStore(config, folder);
  try {
    return await work(store, folder);
  } finally {
    await store.close();
  }
}
