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

export interface ClickHouseSettings {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly tls: false | TlsSettings;
  readonly connectTimeoutMs: number;
}

type Read = { readonly settings: ClickHouseSettings } | { readonly problems: readonly ConnectionProblem[] };

export function readSettings({ connection, settings }: OpenRequest): Read {
  const read = fields.safeParse({ connection, settings });
  if (!read.success) return { problems: connectionProblems(read.error, 'ClickHouse') };
  return { settings: { ...read.data.connection, connectTimeoutMs: read.data.settings.connectTimeoutSeconds * 1000 } };
}

const fields = z.object({
  connection: z.strictObject({
    host: networkName('host').refine((host) => /^[\w.:-]*$/.test(host), 'A host name or an address, without a path.'),
    port: networkPort(8123),
    user: networkName('user').refine((user) => !user.includes(':'), 'A colon is not allowed.'),
    password: z.string({ error: 'The password is a text.' }).default(''),
    database: networkName('database').default('default'),
    tls: networkTls,
  }),
  settings: z.strictObject({ connectTimeoutSeconds }),
});
