import type { ConnectionOptions } from 'node:tls';
import { z } from 'zod';
import type { OpenRequest } from '../connector.ts';

export interface TrinoSettings {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly catalog: string;
  readonly schema: string | undefined;
  readonly tls: false | ConnectionOptions;
  readonly timeZone: string;
  readonly session: Readonly<Record<string, string>>;
  readonly connectTimeoutMs: number;
}

type Read = { readonly settings: TrinoSettings } | { readonly problems: readonly { field: string; message: string }[] };

export function readSettings({ connection, settings }: OpenRequest): Read {
  const read = fields.safeParse({ connection, settings });
  if (!read.success) return { problems: read.error.issues.map(problemOf) };
  const { tls, database, ...rest } = read.data.connection;
  if (rest.password !== '' && tls === false) {
    return { problems: [{ field: 'connection.tls', message: 'Trino takes passwords over TLS only: switch tls on.' }] };
  }
  const { schema, timeZone, session, connectTimeoutSeconds } = read.data.settings;
  return {
    settings: {
      ...rest,
      catalog: database,
      schema,
      tls: tls === true ? {} : tls === false ? false : defined(tls),
      timeZone,
      session,
      connectTimeoutMs: connectTimeoutSeconds * 1000,
    },
  };
}

// these become headers: no control characters, and nothing beyond what a header can carry
const headerText = (what: string) =>
  z
    .string({ error: `Name the ${what}.` })
    .min(1, `Name the ${what}.`)
    .max(255)
    .refine((text) => /^[\x20-\x7e]*$/.test(text), 'Only printable ASCII characters are allowed.');

const fields = z.object({
  connection: z.strictObject({
    host: headerText('host').refine((host) => /^[\w.:-]*$/.test(host), 'A host name or an address, without a path.'),
    port: z.int({ error: 'The port is a number from 1 to 65535.' }).min(1).max(65535).default(8080),
    user: headerText('user').refine((user) => !user.includes(':'), 'A colon is not allowed.'),
    password: z.string({ error: 'The password is a text.' }).default(''),
    database: headerText('catalog'),
    tls: z
      .union(
        [
          z.boolean(),
          z.strictObject({
            ca: z.string().optional(),
            rejectUnauthorized: z.boolean().optional(),
            servername: z.string().min(1).optional(),
          }),
        ],
        { error: 'tls is true, false, or an object with ca, rejectUnauthorized and servername.' },
      )
      .default(false),
  }),
  settings: z.strictObject({
    schema: headerText('schema').optional(),
    timeZone: headerText('time zone').default('UTC'),
    session: z
      .record(z.string().regex(/^[\w.]+$/, 'Session properties have names of letters, digits, dots and underscores.'), z.string())
      .default({}),
    connectTimeoutSeconds: z.number({ error: 'A number of seconds, from 1 to 30.' }).min(1).max(30).default(5),
  }),
});

function problemOf(issue: z.core.$ZodIssue): { field: string; message: string } {
  const field = issue.path.join('.');
  if (issue.code !== 'unrecognized_keys') return { field, message: issue.message };
  return { field: `${field}.${issue.keys[0]}`, message: 'Trino connections have no such field.' };
}

function defined(tls: { ca?: string | undefined; rejectUnauthorized?: boolean | undefined; servername?: string | undefined }) {
  const { ca, rejectUnauthorized, servername } = tls;
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
    ...(servername === undefined ? {} : { servername }),
  };
}
