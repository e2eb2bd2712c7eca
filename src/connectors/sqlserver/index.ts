import { z } from 'zod';
import { networkEngine, networkName, networkSettings } from '../network/network-engine.ts';
import { dialect } from './dialect.ts';

const longest = 128; // of the fields of a log-in
const tooLong = `At most ${longest} characters.`;
const name = (what: string) => networkName(what).max(longest, tooLong);

export const sqlserver = networkEngine({
  kind: 'sqlserver',
  label: 'SQL Server',
  testedOnly: 'a simulated server',
  connection: { port: 1433 },
  fields: {
    host: name('host').refine((host) => !/[\\/]/.test(host), 'Name the host alone; an instance is reached by its port.'),
    user: name('user'),
    password: z.string({ error: 'The password is a text.' }).max(longest, tooLong).default(''),
    database: name('database'),
  },
  settings: networkSettings,
  dialect,
  choices: null,
  placeholders: { bound: 2090, written: 5000 }, // a statement takes 2,100 values, of which the text and its types need some
  errorCodes: { credentials: ['ELOGIN', '18456'], database: ['4060'], timeout: ['ETIMEOUT'] },
  blocksWriters: true, // by shared locks on the rows being read
  importOpen: async () => (await import('./open.ts')).openSqlServer,
});
