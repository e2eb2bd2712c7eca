import { z } from 'zod';
import { type NetworkSettings, networkName, networkPort, networkSettings, networkTls } from '../network-settings.ts';

export type SqlServerSettings = NetworkSettings;

const longest = 128; // of the fields of a log-in
const tooLong = `At most ${longest} characters.`;
const name = (what: string) => networkName(what).max(longest, tooLong);

export const readSettings = networkSettings(
  'SQL Server',
  z.strictObject({
    host: name('host').refine((host) => !/[\\/]/.test(host), 'Name the host alone; an instance is reached by its port.'),
    port: networkPort(1433),
    user: name('user'),
    password: z.string({ error: 'The password is a text.' }).max(longest, tooLong).default(''),
    database: name('database'),
    tls: networkTls,
  }),
);
