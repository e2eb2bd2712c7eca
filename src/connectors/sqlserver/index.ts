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

/** A statement takes 2,100 values, of which the text and its types need some. */
export const sqlserver = networkKind(
  'sqlserver',
  { bound: 2090, written: 5000 },
  readSettings,
  async () => (await import('./open.ts')).openSqlServer,
);
