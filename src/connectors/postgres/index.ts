import type { OpenRequest } from '../connector.ts';
import { networkKind, networkSettings, type SettingsRead } from '../network-kind.ts';
import type { PostgresSettings } from './open.ts';

const readNetworkSettings = networkSettings('PostgreSQL', 5432);

function readSettings(request: OpenRequest): SettingsRead<PostgresSettings> {
  const { pipelinedBatches = true, ...settings } = request.settings;
  const read = readNetworkSettings({ ...request, settings });
  if ('problems' in read) return read;
  if (typeof pipelinedBatches === 'boolean') return { settings: { ...read.settings, pipelinedBatches } };
  return { problems: [{ field: 'settings.pipelinedBatches', message: 'It is true or false.' }] };
}

export const postgres = networkKind(
  'postgres',
  { bound: 20_000, written: 20_000 },
  readSettings,
  async () => (await import('./open.ts')).openPostgres,
);
