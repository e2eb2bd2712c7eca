import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const dist = join(import.meta.dirname, '..', 'dist', 'web');
const MOST_BYTES = 250_000;

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly isEntry?: boolean;
}
const manifest: Record<string, Chunk> = JSON.parse(readFileSync(join(dist, '.vite', 'manifest.json'), 'utf8'));

/** A chunk with everything that it imports at once. */
function withImports(name: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const next of manifest[name]?.imports ?? []) withImports(next, seen);
  return seen;
}

const bytes = (names: Iterable<string>): number =>
  [...names].reduce((sum, name) => sum + gzipSync(readFileSync(join(dist, manifest[name]?.file ?? ''))).length, 0);

test.each(['account/sign-in.tsx', 'home/home-page.tsx', 'account/api-keys-page.tsx', 'catalog/queries-page.tsx'])(
  'opening %s first costs at most 250 kB of compressed JavaScript',
  (page) => {
    expect(bytes(new Set([...withImports('index.html'), ...withImports(page)]))).toBeLessThan(MOST_BYTES);
  },
);

test('charts and the SQL editor are loaded only where they are used', () => {
  const first = [...withImports('index.html')]
    .map((name) => readFileSync(join(dist, manifest[name]?.file ?? ''), 'utf8'))
    .join('');
  expect(first).not.toContain('cm-editor');
  expect(first).not.toContain('zrender');
});
