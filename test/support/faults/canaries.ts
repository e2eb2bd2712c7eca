import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Secrets that must turn up nowhere, by what they are. */
export interface Canaries {
  /** A new one, of letters and digits that occur nowhere else. */
  make(what: string): string;
  /** One that the service made. */
  keep(what: string, secret: string): string;
  /** Which of them stand in a text, as they are or in a usual coding. */
  foundIn(text: string | Buffer, except?: readonly string[]): string[];
  count(): number;
}

export function createCanaries(): Canaries {
  const kept = new Map<string, readonly Buffer[]>();
  const keep: Canaries['keep'] = (what, secret) => {
    kept.set(what, codingsOf(secret));
    return secret;
  };
  return {
    make: (what) => keep(what, `Canary${randomBytes(12).toString('hex')}`),
    keep,
    foundIn: (text, except = []) => {
      const bytes = Buffer.isBuffer(text) ? text : Buffer.from(text);
      const found = [...kept].filter(([what, codings]) => !except.includes(what) && codings.some((each) => bytes.includes(each)));
      return found.map(([what]) => what);
    },
    count: () => kept.size,
  };
}

/** Every file below a folder. */
export function filesBelow(folder: string): { path: string; bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, bytes: readFileSync(path) }));
}

function codingsOf(secret: string): Buffer[] {
  const plain = Buffer.from(secret);
  // the middle of it in base64, wherever in a longer text it begins
  const base64 = [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), plain])
      .toString('base64')
      .slice(before === 0 ? 0 : 4, -4),
  );
  const codings = [
    secret,
    plain.toString('hex'),
    ...base64,
    ...base64.map((each) => each.replaceAll('+', '-').replaceAll('/', '_')),
  ];
  return [...new Set(codings)].map((each) => Buffer.from(each));
}
