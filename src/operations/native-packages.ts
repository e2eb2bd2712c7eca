import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire, findPackageJSON } from 'node:module';
import { promisify } from 'node:util';

interface NativePackage {
  readonly name: string;
  readonly without: string; // what does not work without it
  readonly required: boolean; // the service cannot start without it
}

/** The packages with native code that the service loads. */
const nativePackages: readonly NativePackage[] = [
  { name: '@node-rs/argon2', without: 'users cannot sign in', required: true },
  { name: '@duckdb/node-bindings', without: 'DuckDB databases are unavailable, including the demo', required: false },
  { name: '@resvg/resvg-js', without: 'charts cannot be drawn as PNG', required: false },
];

export interface NativeProblem {
  readonly required: boolean;
  readonly message: string; // one line: package, platform, remedy
}

/** Checks which native packages cannot be loaded on this machine. */
export async function findNativeProblems(packages = nativePackages): Promise<readonly NativeProblem[]> {
  const errors = await loadErrors(packages.map(({ name }) => name));
  return packages.flatMap(({ name, without, required }) => {
    const error = errors[name];
    return error === undefined ? [] : [{ required, message: problemOf(name, error, without) }];
  });
}

/** npm silently skips optional packages that are unavailable or excluded, so the build for this platform may be missing. */
function problemOf(name: string, error: string, without: string): string {
  const build = buildFor(name);
  const reason =
    build !== null && !isInstalled(build, name) ? `its build ${build} is not installed` : (error.split('\n')[0] ?? '');
  return (
    `${name} cannot be loaded on ${platform} (${reason}): ${without}. ` +
    'Install Sluice again on this machine, with its optional packages (npm ci, or npm install -g); see docs/operations.md#native-packages.'
  );
}

const platform = `${process.platform}-${process.arch}`;

/** Loads them in a separate process, so that unused libraries take no memory and a crash does no harm. */
async function loadErrors(names: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const script = `
    const { createRequire } = require('node:module');
    const require_ = createRequire(${JSON.stringify(import.meta.url)});
    const errors = {};
    for (const name of ${JSON.stringify(names)}) try { require_(name); } catch (error) { errors[name] = String(error?.message ?? error); }
    process.stdout.write(JSON.stringify(errors));`;
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { env: {} });
    return JSON.parse(stdout);
  } catch (error) {
    // a signal means that a library crashed; otherwise the process did not start, which says nothing about the packages
    const signal = error instanceof Error && 'signal' in error && typeof error.signal === 'string' ? error.signal : null;
    if (signal === null) return {};
    const [name = ''] = names;
    if (names.length === 1) return { [name]: `loading it ends the process with ${signal}` };
    return Object.assign({}, ...(await Promise.all(names.map((each) => loadErrors([each])))));
  }
}

/** The optional dependency with the native code for this platform, such as `@duckdb/node-bindings-linux-arm64`. */
function buildFor(name: string): string | null {
  const file = packageJsonOf(name, import.meta.url);
  if (file === undefined) return null;
  const builds = Object.keys(JSON.parse(readFileSync(file, 'utf8')).optionalDependencies ?? {});
  return builds.find((build) => build.includes(platform) && !build.includes('musl')) ?? null;
}

function isInstalled(build: string, name: string): boolean {
  const parent = packageJsonOf(name, import.meta.url);
  return parent !== undefined && packageJsonOf(build, createRequire(parent).resolve(name)) !== undefined;
}

function packageJsonOf(name: string, from: string): string | undefined {
  try {
    return findPackageJSON(name, from);
  } catch {
    return undefined; // not installed
  }
}
