import { z } from 'zod';
import { networkKind, networkName, networkSettings } from '../network-kind.ts';

const readSettings = networkSettings('ClickHouse', 8123, {
  host: networkName('host').refine((host) => /^[\w.:-]*$/.test(host), 'A host name or an address, without a path.'),
  user: networkName('user').refine((user) => !user.includes(':'), 'A colon is not allowed.'),
  password: z.string({ error: 'The password is a text.' }).default(''),
  database: networkName('database').default('default'),
});

export const clickhouse = networkKind('clickhouse', readSettings, async () => (await import('./open.ts')).openClickHouse);
