import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const dist = join(import.meta.dirname, '..', 'dist', 'web');
const MAX_BYTES = 250_000;

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
}
const manifest: Record<string, Chunk> = JSON.parse(readFileSync(join(dist, '.vite', 'manifest.json'), 'utf8'));

/** A chunk and its static imports. */
function withImports(name: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const next of manifest[name]?.imports ?? []) withImports(next, seen);
  return seen;
}

const sizes = new Map<string, number>();

function sizeOf(name: string): number {
  const size = sizes.get(name) ?? gzipSync(readFileSync(join(dist, manifest[name]?.file ?? ''))).length;
  sizes.set(name, size);
  return size;
}

const costOf = (page: string): number =>
  [...new Set([...withImports('index.html'), ...withImports(page)])].reduce((sum, name) => sum + sizeOf(name), 0);

/** The component of each route; lazy chunks of `app/` belong to no route. */
const pages = (manifest['index.html']?.dynamicImports ?? []).filter((name) => !name.startsWith('app/'));

test('loads each route lazily', () => {
  const routes = readFileSync(join(import.meta.dirname, 'app', 'routes.tsx'), 'utf8');
  const named = [...routes.matchAll(/import\('\.\.\/(.+?)'\)/g)].map(([, name]) => name);
  expect(named.length).toBe(routes.match(/\b(page\('|lazyPage\(\(\) =>)/g)?.length);
  expect([...pages].sort()).toEqual([...new Set(named)].sort());
});

test.each(pages)('%s loads at most 250 kB of compressed JavaScript', (page) => {
  expect(costOf(page)).toBeLessThanOrEqual(MAX_BYTES);
});

test('loads charts and the SQL editor only on pages that use them', () => {
  const first = [...withImports('index.html')]
    .map((name) => readFileSync(join(dist, manifest[name]?.file ?? ''), 'utf8'))
    .join('');
  expect(first).not.toContain('cm-editor');
  expect(first).not.toContain('zrender');
});
