import { z } from 'zod';
import type { OpenRequest } from '../connector.ts';
import {
  type ConnectionProblem,
  connectionProblems,
  connectTimeoutSeconds,
  networkName,
  networkPort,
  networkTls,
  type TlsSettings,
} from '../network-settings.ts';

export interface SqlServerSettings {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly tls: false | TlsSettings;
  readonly connectTimeoutMs: number;
}

type Read = { readonly settings: SqlServerSettings } | { readonly problems: readonly ConnectionProblem[] };

export function readSettings({ connection, settings }: OpenRequest): Read {
  const read = fields.safeParse({ connection, settings });
  if (!read.success) return { problems: connectionProblems(read.error, 'SQL Server') };
  return { settings: { ...read.data.connection, connectTimeoutMs: read.data.settings.connectTimeoutSeconds * 1000 } };
}

const longest = 128; // of the fields of a log-in
const tooLong = `At most ${longest} characters.`;
const name = (what: string) => networkName(what).max(longest, tooLong);

const fields = z.object({
  connection: z.strictObject({
    host: name('host').refine((host) => !/[\\/]/.test(host), 'Name the host alone; an instance is reached by its port.'),
    port: networkPort(1433),
    user: name('user'),
    password: z.string({ error: 'The password is a text.' }).max(longest, tooLong).default(''),
    database: name('database'),
    tls: networkTls,
  }),
  settings: z.strictObject({ connectTimeoutSeconds }),
});
