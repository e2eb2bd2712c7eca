import { hash } from 'node:crypto';
import { z } from 'zod';
import type { SentParameter } from '../catalog/parameter.ts';
import { attributeProblems, type UserAttributes } from './user.ts';

/** A person without an account whose identity an application asserts in signed tokens. */
export interface Viewer {
  readonly sub: string;
  readonly name: string;
  readonly attributes: UserAttributes;
  readonly queries: readonly string[] | null; // technical names of the only queries that the viewer may run; null: all
  readonly values: readonly SentParameter[]; // set by the application; the viewer cannot send them
  readonly expiresAt: number;
}

/** The owner of a viewer's results, see `accountOf`. A hash, because it becomes part of file names. */
export const viewerId = (applicationId: string, sub: string): string =>
  `${applicationId}:${hash('sha256', sub, 'base64url').slice(0, 22)}`;

const MAX_TOKEN_SECONDS = 3600;
export const CLOCK_SKEW_SECONDS = 30; // of the application's server
const MAX_SUB = 200;

const value = z.union([z.string(), z.number(), z.boolean(), z.null()]).transform((each) => (each === null ? null : String(each)));
const oneLine = `text of 1 to ${MAX_SUB} characters, without control characters`;
const lineProblem = `Expected ${oneLine}`;
const line = z
  .string()
  .min(1, lineProblem)
  .max(MAX_SUB, lineProblem)
  .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), lineProblem);
/** The name of a viewer in tokens and URLs. A URL cannot end in `.` or `..`, so such a viewer could not be blocked. */
export const viewerSub = line.refine((text) => text !== '.' && text !== '..');
const seconds = z.number();

const claims = z.object({
  sub: viewerSub,
  iat: seconds,
  exp: seconds,
  nbf: seconds.optional(),
  name: line.optional(),
  attributes: z
    .record(z.string(), z.union([z.string(), z.array(z.string())]))
    .refine((attributes) => attributeProblems(attributes).length === 0)
    .optional(),
  queries: z.array(z.string()).max(500).optional(),
  values: z.record(z.string(), z.union([value, z.array(value)])).optional(),
});

const rules: Readonly<Record<keyof z.infer<typeof claims>, string>> = {
  sub: `sub must name the viewer: ${oneLine}.`,
  iat: 'iat must be the time of issue, in seconds.',
  exp: 'exp must be the time of expiry, in seconds.',
  nbf: 'nbf must be a time in seconds.',
  name: `name must be ${oneLine}; or leave it out.`,
  attributes: 'attributes must be an object of texts and lists of texts, as users have them; or leave it out.',
  queries: 'queries must be a list of technical names; or leave it out.',
  values: 'values must be an object of parameter names and their values; or leave it out.',
};

/** The name of the viewer, for the audit trail, even if other claims are invalid. */
export const subOf = (payload: { readonly sub?: unknown }): string | undefined => viewerSub.safeParse(payload.sub).data;

/** The viewer that a verified payload describes, or why it is refused. */
export function viewerOf(payload: unknown, now: number): Viewer | { readonly reason: string } {
  const read = claims.safeParse(payload);
  if (!read.success) return { reason: reasonOf(read.error) };
  const { sub, iat, exp, nbf = iat, name = sub, attributes = {}, queries = null, values = {} } = read.data;
  if (exp - iat > MAX_TOKEN_SECONDS) return { reason: `exp must be at most ${MAX_TOKEN_SECONDS} seconds after iat.` };
  const latest = now / 1000 + CLOCK_SKEW_SECONDS;
  const future = iat > latest ? 'iat' : nbf > latest ? 'nbf' : null;
  if (future !== null) return { reason: `${future} is in the future. Compare the clocks of both servers.` };
  return {
    sub,
    name,
    attributes,
    queries,
    values: Object.entries(values).map(([ParameterName, Value]) => ({ ParameterName, Value })),
    expiresAt: exp * 1000,
  };
}

function reasonOf({ issues }: z.ZodError): string {
  const claim = issues[0]?.path[0];
  const found = Object.entries(rules).find(([name]) => name === claim);
  return found?.[1] ?? 'Its payload must be an object.';
}
