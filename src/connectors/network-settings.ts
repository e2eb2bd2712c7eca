import { z } from 'zod';
import type { OpenRequest } from './connector.ts';

// Fields that connections over a network have in common; each engine composes its own from them.

export interface NetworkSettings {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly tls: false | TlsSettings;
  readonly connectTimeoutMs: number;
}

export type SettingsRead<Settings> = { readonly settings: Settings } | { readonly problems: readonly ConnectionProblem[] };

/** Reads the settings of an engine that needs only these. */
export function networkSettings(engine: string, connection: z.ZodType<Omit<NetworkSettings, 'connectTimeoutMs'>>) {
  const fields = z.object({ connection, settings: z.strictObject({ connectTimeoutSeconds }) });
  return (request: OpenRequest): SettingsRead<NetworkSettings> => {
    const read = fields.safeParse({ connection: request.connection, settings: request.settings });
    if (!read.success) return { problems: connectionProblems(read.error, engine) };
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

export const networkHost = networkName('host').refine(
  (host) => !host.startsWith('/'),
  'Sockets in the file system are not supported.',
);

export const networkPort = (usual: number) =>
  z.int({ error: 'The port is a number from 1 to 65535.' }).min(1).max(65535).default(usual);

export const networkPassword = z
  .string({ error: 'The password is a text.' })
  .refine((text) => !text.includes('\0'), 'A zero byte is not allowed.')
  .default('');

const tlsWords = 'tls is true, false, or an object with ca, rejectUnauthorized and servername.';
const tlsFields = z.strictObject({
  ca: z.string().optional(),
  rejectUnauthorized: z.boolean().optional(),
  servername: z.string().min(1).optional(),
});
export const networkTls = z
  .union([z.boolean(), tlsFields], { error: tlsWords })
  .default(false)
  .transform((tls): false | TlsSettings => (tls === false ? false : tls === true ? {} : given(tls)));

export interface TlsSettings {
  readonly ca?: string;
  readonly rejectUnauthorized?: boolean;
  readonly servername?: string;
}

export const connectTimeoutSeconds = z.number({ error: 'A number of seconds, from 1 to 30.' }).min(1).max(30).default(5);

type ConnectionProblem = { readonly field: string; readonly message: string };

export const connectionProblems = (error: z.ZodError, engine: string): readonly ConnectionProblem[] =>
  error.issues.map((issue) => {
    const field = issue.path.join('.');
    if (issue.code !== 'unrecognized_keys') return { field, message: issue.message };
    return { field: `${field}.${issue.keys[0]}`, message: `${engine} connections have no such field.` };
  });

function given({ ca, rejectUnauthorized, servername }: z.infer<typeof tlsFields>): TlsSettings {
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
    ...(servername === undefined ? {} : { servername }),
  };
}
