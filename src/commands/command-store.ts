import { openStore } from '../composition/storage.ts';
import type { Config } from '../config/config.ts';
import { type DataFolder, openDataFolder } from '../operations/data-folder.ts';
import type { MetadataStore } from '../store/metadata-store.ts';

/** Opens the store for a command, which may run while the service runs. */
export async function withStore<T>(config: Config, work: (store: MetadataStore, folder: DataFolder) => Promise<T>): Promise<T> {
  const folder = openDataFolder(config.dataFolder, config.secrets);
  const store = await openStore(config, folder);
  try {
    return await work(store, folder);
  } finally {
    await store.close();
  }
}
