import type { ConnectionOptions } from 'node:tls';
import { z } from 'zod';
import type { OpenRequest } from '../connector.ts';

export interface ClickHouseSettings {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly tls: false | ConnectionOptions;
  readonly connectTimeoutMs: number;
}

type Read = { readonly settings: ClickHouseSettings } | { readonly problems: readonly { field: string; message: string }[] };

export function readSettings({ connection, settings }: OpenRequest): Read {
  const read = fields.safeParse({ connection, settings });
  if (!read.success) return { problems: read.error.issues.map(problemOf) };
  const { tls, ...rest } = read.data.connection;
  return {
    settings: {
      ...rest,
      tls: tls === true ? {} : tls === false ? false : defined(tls),
      connectTimeoutMs: read.data.settings.connectTimeoutSeconds * 1000,
    },
  };
}

const name = (what: string) =>
  z
    .string({ error: `Name the ${what}.` })
    .min(1, `Name the ${what}.`)
    .max(255)
    .refine((text) => !/\p{Cc}/u.test(text), 'Control characters are not allowed.');

const fields = z.object({
  connection: z.strictObject({
    host: name('host').refine((host) => /^[\w.:-]*$/.test(host), 'A host name or an address, without a path.'),
    port: z.int({ error: 'The port is a number from 1 to 65535.' }).min(1).max(65535).default(8123),
    user: name('user').refine((user) => !user.includes(':'), 'A colon is not allowed.'),
    password: z.string({ error: 'The password is a text.' }).default(''),
    database: name('database').default('default'),
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
    connectTimeoutSeconds: z.number({ error: 'A number of seconds, from 1 to 30.' }).min(1).max(30).default(5),
  }),
});

function problemOf(issue: z.core.$ZodIssue): { field: string; message: string } {
  const field = issue.path.join('.');
  if (issue.code !== 'unrecognized_keys') return { field, message: issue.message };
  return { field: `${field}.${issue.keys[0]}`, message: 'ClickHouse connections have no such field.' };
}

function defined(tls: { ca?: string | undefined; rejectUnauthorized?: boolean | undefined; servername?: string | undefined }) {
  const { ca, rejectUnauthorized, servername } = tls;
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
    ...(servername === undefined ? {} : { servername }),
  };
}
