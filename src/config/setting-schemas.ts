import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { z } from 'zod';

export interface Setting<T> extends SettingNotes {
  readonly key: string; // path in sluice.yaml
  readonly env: string;
  readonly schema: z.ZodType<T>;
  readonly fallback: T;
}

interface SettingNotes {
  readonly meaning: string;
  readonly changeable?: boolean; // at runtime, on the Settings page
  readonly secret?: boolean; // never shown
}

export const setting = <T>(
  key: string,
  env: string,
  schema: z.ZodType<T>,
  fallback: NoInfer<T>,
  notes: SettingNotes,
): Setting<T> => ({ key, env, schema, fallback, ...notes });

// Schemas of setting values. Values are text in the environment and typed in YAML: every schema accepts both.

// YAML reads 0123 and 1e5 as numbers, which cannot be converted back to the same text
export const text = z.string('expected text (quoted if it looks like a number)').min(1, 'expected a text that is not empty');
export const optionalText = text.nullable();
export const passphrase = text.min(12, 'expected at least 12 characters');
export const lettersAndDigits = text.regex(/^[\p{L}\p{N}]+$/u, 'expected letters and digits');

const digits = z.string().regex(/^\d{1,15}$/);

export const integer = (min: number, max: number) =>
  z
    .union([z.number(), digits.transform(Number)], 'expected a whole number')
    .pipe(z.number().int('expected a whole number').min(min, `expected at least ${min}`).max(max, `expected at most ${max}`));

/** Bytes of files, and of responses that are not read yet. */
export const fileBytes = integer(1 << 20, 2 ** 44);
export const unsentBytes = integer(16 << 20, 2 ** 40);

/** `auto` respects the processors that a container may use. */
export const workers = z.union(
  [z.literal('auto').transform(() => Math.min(4, availableParallelism())), integer(1, 4 * availableParallelism() + 4)],
  'expected a whole number or auto',
);

export const toggle = z
  .union([z.boolean(), z.enum(['on', 'off', 'true', 'false'])], 'expected on or off')
  .transform((value) => value === true || value === 'on' || value === 'true');

export const logLevel = z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']);

/** A list of texts; in YAML a list, too. */
export const list = (separator: string) =>
  z
    .union([z.array(z.string()), z.string().transform((words) => words.split(separator))], 'expected a list of texts')
    .transform((words) => words.map((word) => word.trim()).filter((word) => word !== ''));

export const url = (protocols: readonly string[]) =>
  text.refine(
    (value) => URL.canParse(value) && protocols.includes(new URL(value).protocol),
    `expected a URL that begins with ${protocols.map((each) => `${each}//`).join(' or ')}`,
  );

/** An address or host name that is valid in a URL. */
export const host = text.refine(
  (value) => isIP(value) !== 0 || (/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(value) && URL.canParse(`http://${value}`)),
  'expected an address such as 127.0.0.1, or a host name',
);

export const timeZone = text.refine((value) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}, 'expected an IANA time zone such as Europe/Berlin');

/** Without a trailing slash, because paths are appended. Its path is compared with those of requests and is part of cookies. */
export const baseUrl = url(['http:', 'https:'])
  .refine((value) => !/[?#@]/.test(value), 'expected an address without a query, a fragment and an account')
  .refine(
    (value) => /^https?:\/\/[^/\\]+(\/(?!\.\.?(\/|$))[\w.~-]+)*\/*$/i.test(value),
    'expected a path of letters, digits and . _ ~ - such as https://example.com/sluice',
  )
  .transform((value) => new URL(value).href.replace(/(?<!\/)\/+$/, ''));

/** An issuer identifier. Plain http is accepted on loopback only, for trials. */
export const issuer = url(['https:', 'http:'])
  .refine((value) => !/[?#]/.test(value), 'expected an address without ? and #')
  .refine((value) => {
    const { protocol, hostname } = new URL(value);
    return protocol === 'https:' || ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  }, 'expected https:// (http:// only on a loopback address)');

export const scopes = text.refine((value) => value.split(' ').includes('openid'), 'expected scopes that include openid');

/** A list of what `read` returns for each text; null: the text is not valid, for this reason. */
const listOf = (read: (word: string) => string | null, problem: string) =>
  list(',').transform((words, context) =>
    words.map((word) => {
      const item = read(word);
      if (item === null) context.addIssue(`${JSON.stringify(word)} is ${problem}`);
      return item ?? word;
    }),
  );

/** Pairs as text. A group may contain `=`; its target does not. */
export const mappings = (what: string) =>
  listOf((word) => (/^.+=[^=]+$/s.test(word) ? word : null), `not a pair such as group=${what}`);

/** Pairs as text: an attribute and its claim, which may contain `=`. */
export const attributeClaims = listOf(
  (word) => (/^\p{L}[\p{L}\p{N}_-]{0,99}\s*=\s*\S/u.test(word) ? word : null),
  'not a pair such as region=claim',
);

/** Origins as sent by browsers. `null` is not accepted: any sandboxed page sends it. */
export const origins = listOf(originOf, 'not an Origin such as https://app.example.com');

/** Hosts as they are in addresses, with a port or without. */
export const hosts = listOf(hostOf, 'not a host such as app.example.com or localhost:8080');

/** Addresses, ranges (CIDR) and the given names. */
const addresses = (named: readonly string[] = []) =>
  listOf((word) => (named.includes(word) || isRange(word) ? word : null), 'neither an address nor a range such as 10.0.0.0/8');

export const addressRanges = addresses();
export const proxies = addresses(['loopback', 'linklocal', 'uniquelocal']);

/** Part of a header value, within one directive. */
export const headerWords = text.regex(/^[\x21-\x2b\x2d-\x3a\x3c-\x7e ]+$/, 'expected text without commas and semicolons');

function originOf(word: string): string | null {
  const match = /^([a-z][a-z0-9+.-]*):\/\/[^/?#\s@]+\/?$/i.exec(word);
  if (match === null || !URL.canParse(word)) return null;
  const { protocol, origin } = new URL(word);
  // application schemes (vscode-file://vscode-app) have an opaque origin in the URL standard
  return protocol === 'http:' || protocol === 'https:' ? origin : word.toLowerCase().replace(/\/$/, '');
}

/** In lower case and ASCII, like the hosts that it is compared with. */
function hostOf(word: string): string | null {
  const [, name = '', port = ''] = /^([^\s/?#@*\\]+?)(:\d{1,5})?$/.exec(word) ?? [];
  const address = `http://${name}${port}`;
  return URL.canParse(address) ? new URL(address).hostname + port : null;
}

function isRange(word: string): boolean {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(word) ?? [];
  const version = isIP(address);
  return version !== 0 && !address.includes('%') && Number(bits ?? 0) <= (version === 4 ? 32 : 128);
}
