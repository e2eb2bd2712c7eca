import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly cpu?: readonly string[];
  readonly os?: readonly string[];
  readonly libc?: readonly string[];
}

export type LockedPackages = Readonly<Record<string, LockedPackage>>;

export const readLockedPackages = (): LockedPackages =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../../package-lock.json'), 'utf8')).packages;

export const architectures = ['x64', 'arm64'] as const;
export type Architecture = (typeof architectures)[number];

/** The native packages for Linux with glibc: the locked build per architecture, by the name without the architecture. */
export function findNativeBuilds(packages: LockedPackages): ReadonlyMap<string, ReadonlyMap<Architecture, LockedPackage>> {
  const builds = new Map<string, Map<Architecture, LockedPackage>>();
  for (const [path, locked] of Object.entries(packages)) {
    const architecture = architectures.find((each) => locked.cpu?.includes(each));
    if (architecture === undefined || !locked.os?.includes('linux') || locked.libc?.includes('musl') || /musl/.test(path))
      continue;
    const family = path.replace(/^.*node_modules\//, '').replace(architecture, '*');
    builds.set(family, (builds.get(family) ?? new Map()).set(architecture, locked));
  }
  return builds;
}

/** The native packages without a build for some architecture: npm writes no `integrity` for a missing build. */
export const findMissingBuilds = (packages: LockedPackages): readonly string[] =>
  [...findNativeBuilds(packages)].flatMap(([family, builds]) =>
    architectures.filter((each) => builds.get(each)?.integrity === undefined).map((each) => family.replace('*', each)),
  );
