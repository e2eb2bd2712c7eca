import { isIP } from 'node:net';
import { z } from 'zod';

// What a setting may hold. Values come as text from the environment and typed from YAML: every schema takes both.

// YAML reads 0123 or 1e5 as a number, and its digits would be lost on the way to text
export const text = z.string('expected text (in quotes, where it looks like a number)').min(1, 'expected some text');
export const optionalText = text.nullable();

export const whole = (min: number, max: number) =>
  z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(/^\d{1,15}$/)
          .transform(Number),
      ],
      'expected a whole number',
    )
    .pipe(z.number().int('expected a whole number').min(min, `expected at least ${min}`).max(max, `expected at most ${max}`));

export const toggle = z
  .union([z.boolean(), z.enum(['on', 'off', 'true', 'false'])], 'expected on or off')
  .transform((value) => value === true || value === 'on' || value === 'true');

/** Texts, from YAML as a list as well. */
export const list = (separator: string) =>
  z
    .union([z.array(z.string()), z.string().transform((words) => words.split(separator))], 'expected a list of texts')
    .transform((words) => words.map((word) => word.trim()).filter((word) => word !== ''));

export const url = (protocols: readonly string[]) =>
  text.refine(
    (value) => URL.canParse(value) && protocols.includes(new URL(value).protocol),
    `expected a URL that begins with ${protocols.map((each) => `${each}//`).join(' or ')}`,
  );

/** An address or a name that can stand in a URL. */
export const host = text.refine(
  (value) => isIP(value) !== 0 || (/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(value) && URL.canParse(`http://${value}`)),
  'expected an address such as 127.0.0.1, or a host name',
);

/** Paths are appended to it. */
export const baseUrl = url(['http:', 'https:']).transform((value) => value.replace(/\/+$/, ''));

/** As providers name themselves. In plain text only on this machine, for trying out. */
export const issuer = url(['https:', 'http:'])
  .refine((value) => !/[?#]/.test(value), 'expected an address without ? and #')
  .refine((value) => {
    const { protocol, hostname } = new URL(value);
    return protocol === 'https:' || ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  }, 'expected https:// (http:// only on a loopback address)');

export const scopes = text.refine((value) => value.split(' ').includes('openid'), 'expected words with openid among them');

/** Pairs as texts; a group may have a = in its name, what it stands for has none. */
export const mappings = (what: string) =>
  list(',').transform((words, context) => {
    for (const word of words) {
      const at = word.lastIndexOf('=');
      if (at < 1 || at === word.length - 1) context.addIssue(`${quoted(word)} is not a pair such as group=${what}`);
    }
    return words;
  });

/** As browsers send them; `null`, which any sandboxed page sends, is none. */
export const origins = list(',').transform((words, context) =>
  words.map((word) => {
    const origin = originOf(word);
    if (origin === null) context.addIssue(`${quoted(word)} is not an Origin such as https://app.example.com`);
    return origin ?? word;
  }),
);

/** Addresses and ranges (CIDR), and words for some of them. */
const addresses = (named: readonly string[] = []) =>
  list(',').transform((words, context) => {
    for (const word of words) {
      if (!named.includes(word) && !isRange(word))
        context.addIssue(`${quoted(word)} is neither an address nor a range such as 10.0.0.0/8`);
    }
    return words;
  });

export const addressRanges = addresses();
export const proxies = addresses(['loopback', 'linklocal', 'uniquelocal']);

/** Stands in a header, as one directive among others. */
export const headerWords = text.regex(/^[\x21-\x2b\x2d-\x3a\x3c-\x7e ]+$/, 'expected words without commas and semicolons');

function originOf(word: string): string | null {
  const match = /^([a-z][a-z0-9+.-]*):\/\/[^/?#\s@]+\/?$/i.exec(word);
  if (match === null || !URL.canParse(word)) return null;
  const { protocol, origin } = new URL(word);
  // schemes of applications (vscode-file://vscode-app) have no origin by the standard of URLs
  return protocol === 'http:' || protocol === 'https:' ? origin : word.toLowerCase().replace(/\/$/, '');
}

function isRange(word: string): boolean {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(word) ?? [];
  const version = isIP(address);
  return version !== 0 && !address.includes('%') && Number(bits ?? 0) <= (version === 4 ? 32 : 128);
}

const quoted = (word: string): string => JSON.stringify(word);
