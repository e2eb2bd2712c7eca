import { z } from 'zod';

// Fields that connections over a network have in common; each engine composes its own from them.

export const networkName = (what: string) =>
  z
    .string({ error: `Name the ${what}.` })
    .min(1, `Name the ${what}.`)
    .max(255)
    // a zero byte would end the field and begin another one
    .refine((text) => !/\p{Cc}/u.test(text), 'Control characters are not allowed.');

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

export type ConnectionProblem = { readonly field: string; readonly message: string };

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
