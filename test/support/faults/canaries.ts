import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Secrets that must not leak, by name. */
export interface Canaries {
  /** Creates a unique secret. */
  make(what: string): string;
  /** Registers a secret created by the service. */
  keep(what: string, secret: string): string;
  /** The names of the secrets that a text contains, in plain or in a common encoding. */
  findIn(text: string | Buffer, except?: readonly string[]): string[];
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
    findIn: (text, except = []) => {
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
  // its middle in base64, at each of the three alignments
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
