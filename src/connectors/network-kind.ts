import { z } from 'zod';
import type { PlaceholderLimits } from '../catalog/lists.ts';
import type { FieldProblem } from '../errors.ts';
import { checkHost } from './allowed-address.ts';
import { type Connector, ConnectorError, type ConnectorKind, type OpenRequest } from './connector.ts';
import { loadDriver } from './load-driver.ts';

export interface NetworkSettings {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly tls: false | TlsSettings;
  readonly connectTimeoutMs: number;
}

export interface TlsSettings {
  readonly ca?: string | undefined;
  readonly rejectUnauthorized?: boolean | undefined;
  readonly servername?: string | undefined;
}

export type SettingsRead<Settings> = { readonly settings: Settings } | { readonly problems: readonly FieldProblem[] };

/** An engine that is reached over a network. The code that opens it is imported with its driver on first use. */
export function networkKind<Settings extends { readonly host: string }>(
  kind: string,
  placeholders: PlaceholderLimits,
  readSettings: (request: OpenRequest) => SettingsRead<Settings>,
  importOpen: () => Promise<(settings: Settings, request: OpenRequest) => Connector>,
): ConnectorKind {
  return {
    kind,
    placeholders,
    secretFields: ['password'],
    check(request) {
      const read = readSettings(request);
      return 'problems' in read ? read.problems : [];
    },
    async open(request) {
      const read = readSettings(request);
      if ('problems' in read) {
        throw new ConnectorError('unavailable', read.problems.map(({ field, message }) => `${field}: ${message}`).join(' '));
      }
      await checkHost(read.settings.host);
      const open = await loadDriver(kind, importOpen);
      return open(read.settings, request);
    },
  };
}

/** Reads the settings that most engines have; an engine may replace some of the fields. */
export function networkSettings(
  engine: string,
  defaultPort: number,
  replaced: Partial<Record<'host' | 'user' | 'password' | 'database', z.ZodType<string>>> = {},
) {
  const {
    host = networkHost,
    user = networkName('user'),
    password = networkPassword,
    database = networkName('database'),
  } = replaced;
  const connection = z.strictObject({ host, port: networkPort(defaultPort), user, password, database, tls: networkTls });
  const fields = z.object({ connection, settings: z.strictObject({ connectTimeoutSeconds }) });
  return (request: OpenRequest): SettingsRead<NetworkSettings> => {
    const read = fields.safeParse({ connection: request.connection, settings: request.settings });
    if (!read.success) return connectionProblems(read.error, engine);
    return { settings: { ...read.data.connection, connectTimeoutMs: read.data.settings.connectTimeoutSeconds * 1000 } };
  };
}

export const networkName = (what: string) =>
  z
    .string({ error: `Name the ${what}.` })
    .min(1, `Name the ${what}.`)
    .max(255)
    // a zero byte would end the field and begin another one
    .refine((text) => !/\p{Cc}/u.test(text), 'Control characters are not allowed.');

const networkHost = networkName('host').refine((host) => !host.startsWith('/'), 'Sockets in the file system are not supported.');

export const networkPort = (usual: number) =>
  z.int({ error: 'The port is a number from 1 to 65535.' }).min(1).max(65535).default(usual);

const networkPassword = z
  .string({ error: 'The password is a text.' })
  .refine((text) => !text.includes('\0'), 'A zero byte is not allowed.')
  .default('');

const tlsFields = z.strictObject({
  ca: z.string().optional(),
  rejectUnauthorized: z.boolean().optional(),
  servername: z.string().min(1).optional(),
});
export const networkTls = z
  .union([z.boolean(), tlsFields], { error: 'tls is true, false, or an object with ca, rejectUnauthorized and servername.' })
  .default(false)
  .transform((tls): false | TlsSettings => (tls === true ? {} : tls));

export const connectTimeoutSeconds = z.number({ error: 'A number of seconds, from 1 to 30.' }).min(1).max(30).default(5);

export function connectionProblems(error: z.ZodError, engine: string): SettingsRead<never> {
  const problems = error.issues.map((issue): FieldProblem => {
    const field = issue.path.join('.');
    if (issue.code !== 'unrecognized_keys') return { field, message: issue.message };
    const path = `${field}.${issue.keys[0]}`;
    return { kind: 'FieldUnknown', field: path, message: `${engine} connections have no field ${path}.` };
  });
  return { problems };
}
