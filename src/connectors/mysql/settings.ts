import { z } from 'zod';
import type { OpenRequest } from '../connector.ts';

export interface MysqlSettings {
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

type Read = { readonly settings: MysqlSettings } | { readonly problems: readonly { field: string; message: string }[] };

export function readSettings({ connection, settings }: OpenRequest): Read {
  const read = fields.safeParse({ connection, settings });
  if (!read.success) return { problems: read.error.issues.map(problemOf) };
  const { tls, ...rest } = read.data.connection;
  const { connectTimeoutSeconds } = read.data.settings;
  return { settings: { ...rest, tls: tls === true ? {} : tls, connectTimeoutMs: connectTimeoutSeconds * 1000 } };
}

const name = (what: string) =>
  z
    .string({ error: `Name the ${what}.` })
    .min(1, `Name the ${what}.`)
    .max(255)
    // a zero byte would end the field and begin another one
    .refine((text) => !/\p{Cc}/u.test(text), 'Control characters are not allowed.');

const tls = z.strictObject({
  ca: z.string().optional(),
  rejectUnauthorized: z.boolean().optional(),
  servername: z.string().min(1).optional(),
});

const fields = z.object({
  connection: z.strictObject({
    host: name('host').refine((host) => !host.startsWith('/'), 'Sockets in the file system are not supported.'),
    port: z.int({ error: 'The port is a number from 1 to 65535.' }).min(1).max(65535).default(3306),
    user: name('user'),
    password: z
      .string({ error: 'The password is a text.' })
      .refine((text) => !text.includes('\0'), 'A zero byte is not allowed.')
      .default(''),
    database: name('database'),
    tls: z
      .union([z.boolean(), tls], { error: 'tls is true, false, or an object with ca, rejectUnauthorized and servername.' })
      .default(false),
  }),
  settings: z.strictObject({
    connectTimeoutSeconds: z.number({ error: 'A number of seconds, from 1 to 30.' }).min(1).max(30).default(5),
  }),
});

function problemOf(issue: z.core.$ZodIssue): { field: string; message: string } {
  const field = issue.path.join('.');
  if (issue.code !== 'unrecognized_keys') return { field, message: issue.message };
  return { field: `${field}.${issue.keys[0]}`, message: 'MySQL connections have no such field.' };
}
