import { randomUUID } from 'node:crypto';
import type { AuditEntry } from '../audit/audit-entry.ts';
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

/**
 * Commands are run by people with access to the data folder, who are not users of the service: the entry records the action
 * without a user.
 */
export const commandEntry = (action: string, parameters: Readonly<Record<string, unknown>>): AuditEntry => ({
  at: Date.now(),
  requestId: randomUUID(),
  userId: null,
  user: null,
  apiKey: null,
  action,
  query: null,
  queryVersion: null,
  parameters,
  channel: 'management',
  outcome: 'ok',
  status: 200,
  error: null,
  rows: null,
  bytes: null,
  durationMs: 0,
  address: '',
  client: 'the command sluice',
  cached: false,
});
