import { z } from 'zod';
import { networkEngine, networkName, networkSettings, withField } from '../network/network-engine.ts';
import { choices, dialect } from './dialect.ts';

export const clickhouse = networkEngine({
  kind: 'clickhouse',
  label: 'ClickHouse',
  testedOnly: 'version 18.16 and a simulated server',
  connection: { port: 8123, tlsPort: 8443, defaultDatabase: 'default' },
  fields: {
    host: networkName('host').refine((host) => /^[\w.:-]*$/.test(host), 'A host name or an address, without a path.'),
    user: networkName('user').refine((user) => !user.includes(':'), 'A colon is not allowed.'),
    password: z.string({ error: 'The password is a text.' }).default(''),
  },
  settings: networkSettings.extend({
    compression: withField(z.boolean({ error: 'It is true or false.' }).optional(), {
      label: 'Compression',
      description: 'Compressed results need less of the network and more of the processors.',
      input: 'options',
      options: [
        { value: null, label: 'Automatic (from other machines, with Zstandard)' },
        { value: true, label: 'On (for slow networks, also with gzip)' },
        { value: false, label: 'Off (for fast networks)' },
      ],
      section: 'Long results',
    }),
  }),
  dialect,
  choices,
  placeholders: { bound: 5000, written: 5000 }, // a text has at most 262,144 bytes, of which a placeholder takes up to 40
  errorCodes: { credentials: ['192', '193', '194', '516', '401'], database: ['81'] },
  importOpen: async () => (await import('./open.ts')).openClickHouse,
});
