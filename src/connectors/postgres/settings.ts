import { z } from 'zod';
import type { OpenRequest } from '../connector.ts';
import {
  type ConnectionProblem,
  connectionProblems,
  connectTimeoutSeconds,
  networkName,
  networkPassword,
  networkPort,
  networkTls,
  type TlsSettings,
} from '../network-settings.ts';

export interface PostgresSettings {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly tls: false | TlsSettings;
  readonly connectTimeoutMs: number;
}

type Read = { readonly settings: PostgresSettings } | { readonly problems: readonly ConnectionProblem[] };

export function readSettings({ connection, settings }: OpenRequest): Read {
  const read = fields.safeParse({ connection, settings });
  if (!read.success) return { problems: connectionProblems(read.error, 'PostgreSQL') };
  return { settings: { ...read.data.connection, connectTimeoutMs: read.data.settings.connectTimeoutSeconds * 1000 } };
}

const fields = z.object({
  connection: z.strictObject({
    host: networkName('host').refine((host) => !host.startsWith('/'), 'Sockets in the file system are not supported.'),
    port: networkPort(5432),
    user: networkName('user'),
    password: networkPassword,
    database: networkName('database'),
    tls: networkTls,
  }),
  settings: z.strictObject({ connectTimeoutSeconds }),
});
