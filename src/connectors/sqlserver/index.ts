import { z } from 'zod';
import { networkKind, networkName, networkSettings } from '../network-kind.ts';

const longest = 128; // of the fields of a log-in
const tooLong = `At most ${longest} characters.`;
const name = (what: string) => networkName(what).max(longest, tooLong);

const readSettings = networkSettings('SQL Server', 1433, {
  host: name('host').refine((host) => !/[\\/]/.test(host), 'Name the host alone; an instance is reached by its port.'),
  user: name('user'),
  password: z.string({ error: 'The password is a text.' }).max(longest, tooLong).default(''),
  database: name('database'),
});

export const sqlserver = networkKind('sqlserver', readSettings, async () => (await import('./open.ts')).openSqlServer);
