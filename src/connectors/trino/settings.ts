import { z } from 'zod';
import type { OpenRequest } from '../connector.ts';
import {
  connectionProblems,
  connectTimeoutSeconds,
  type NetworkSettings,
  networkPort,
  networkTls,
  type SettingsRead,
} from '../network-kind.ts';

export interface TrinoSettings extends Omit<NetworkSettings, 'database'> {
  readonly catalog: string;
  readonly schema?: string | undefined;
  readonly timeZone: string;
  readonly session: Readonly<Record<string, string>>;
}

export function readSettings({ connection, settings }: OpenRequest): SettingsRead<TrinoSettings> {
  const read = fields.safeParse({ connection, settings });
  if (!read.success) return connectionProblems(read.error, 'Trino');
  const { database: catalog, ...connectionFields } = read.data.connection;
  if (connectionFields.password !== '' && connectionFields.tls === false) {
    return { problems: [{ field: 'connection.tls', message: 'Trino takes passwords over TLS only: switch tls on.' }] };
  }
  const { connectTimeoutSeconds: seconds, ...others } = read.data.settings;
  return { settings: { ...connectionFields, ...others, catalog, connectTimeoutMs: seconds * 1000 } };
}

// they become headers: no control characters, and only characters that a header can contain
const headerText = (what: string) =>
  z
    .string({ error: `Name the ${what}.` })
    .min(1, `Name the ${what}.`)
    .max(255)
    .refine((text) => /^[\x20-\x7e]*$/.test(text), 'Only printable ASCII characters are allowed.');

const fields = z.object({
  connection: z.strictObject({
    host: headerText('host').refine((host) => /^[\w.:-]*$/.test(host), 'A host name or an address, without a path.'),
    port: networkPort(8080),
    user: headerText('user').refine((user) => !user.includes(':'), 'A colon is not allowed.'),
    password: z.string({ error: 'The password is a text.' }).default(''),
    database: headerText('catalog'),
    tls: networkTls,
  }),
  settings: z.strictObject({
    schema: headerText('schema').optional(),
    timeZone: headerText('time zone').default('UTC'),
    session: z
      .record(z.string().regex(/^[\w.]+$/, 'Session properties have names of letters, digits, dots and underscores.'), z.string())
      .default({}),
    connectTimeoutSeconds,
  }),
});
