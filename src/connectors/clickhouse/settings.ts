import { z } from 'zod';
import { type NetworkSettings, networkName, networkPort, networkSettings, networkTls } from '../network-settings.ts';

export type ClickHouseSettings = NetworkSettings;

export const readSettings = networkSettings(
  'ClickHouse',
  z.strictObject({
    host: networkName('host').refine((host) => /^[\w.:-]*$/.test(host), 'A host name or an address, without a path.'),
    port: networkPort(8123),
    user: networkName('user').refine((user) => !user.includes(':'), 'A colon is not allowed.'),
    password: z.string({ error: 'The password is a text.' }).default(''),
    database: networkName('database').default('default'),
    tls: networkTls,
  }),
);
