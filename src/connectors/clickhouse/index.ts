import { z } from 'zod';
import type { OpenRequest } from '../connector.ts';
import { networkKind, networkName, networkSettings, type SettingsRead } from '../network-kind.ts';
import type { ClickHouseSettings } from './open.ts';

const readNetworkSettings = networkSettings('ClickHouse', 8123, {
  host: networkName('host').refine((host) => /^[\w.:-]*$/.test(host), 'A host name or an address, without a path.'),
  user: networkName('user').refine((user) => !user.includes(':'), 'A colon is not allowed.'),
  password: z.string({ error: 'The password is a text.' }).default(''),
  database: networkName('database').default('default'),
});

export function readSettings(request: OpenRequest): SettingsRead<ClickHouseSettings> {
  const { compression, ...settings } = request.settings;
  const read = readNetworkSettings({ ...request, settings });
  if ('problems' in read) return read;
  if (compression !== undefined && typeof compression !== 'boolean')
    return { problems: [{ field: 'settings.compression', message: 'It is true or false.' }] };
  return { settings: { ...read.settings, encodings: encodingsOf(compression, read.settings.host) } };
}

/** On the same machine compression only costs processor time. Gzip costs more than a fast network saves. */
function encodingsOf(compression: boolean | undefined, host: string): string {
  if (compression !== undefined) return compression ? 'zstd, gzip' : '';
  return /^(localhost|127\.[\d.]+|::1)$/i.test(host) ? '' : 'zstd';
}

/** The text of a statement has at most 262,144 bytes, of which a placeholder takes up to 40. */
export const clickhouse = networkKind(
  'clickhouse',
  { bound: 5000, written: 5000 },
  readSettings,
  async () => (await import('./open.ts')).openClickHouse,
);
