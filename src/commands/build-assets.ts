import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire, findPackageJSON } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { ConfigError } from '../config/config.ts';
import { findNativeProblems } from '../operations/native-packages.ts';

export interface AssetBuild {
  readonly name: string; // shown to people: 'web interface'
  readonly config: string; // Vite's, from the root
  readonly outDir: string; // from the root
  readonly sources: readonly string[]; // files and folders, from the root
  readonly except?: readonly string[]; // folders among `sources` that do not belong to this build
}

const root = join(import.meta.dirname, '..', '..');

/** The bundles for browsers and the service's chart library, built by Vite. */
const assetBuilds: readonly AssetBuild[] = [
  {
    name: 'script of embedded charts',
    config: 'web/embed-page/vite.config.ts',
    outDir: 'dist/embed',
    sources: ['web/embed-page', 'web/chart', 'web/compress-assets.ts', 'src/charts', 'package-lock.json'],
  },
  {
    name: 'chart app of the MCP gateway',
    config: 'web/chart-app/vite.config.ts',
    outDir: 'dist/chart-app',
    sources: ['web/chart-app', 'web/chart', 'src/charts', 'package-lock.json'],
  },
  {
    name: 'chart library of the service',
    config: 'web/drawing/vite.config.ts',
    outDir: 'dist/drawing',
    sources: ['web/drawing', 'src/charts/echarts.ts', 'package-lock.json'],
  },
  {
    name: 'web interface',
    config: 'web/vite.config.ts',
    outDir: 'dist/web',
    sources: ['web', 'src/catalog', 'src/charts', 'src/drawing/fonts', 'package-lock.json'],
    except: ['web/embed-page', 'web/chart-app'],
  },
];

/** Builds what is missing or older than its sources; takes milliseconds if there is nothing to do. */
export async function buildMissingAssets(report: (line: string) => void = () => {}, builds = assetBuilds): Promise<void> {
  for (const build of builds) {
    if (!existsSync(join(root, build.config))) continue; // releases contain the built assets only
    const hash = await hashOf(build);
    if (isBuilt(build, hash)) continue;
    report(`Building the ${build.name}, once…`);
    await make(build, hash).catch(async (error: unknown) => {
      throw (await bundlerProblem(build)) ?? error;
    });
  }
}

/** Why building is impossible here, in one line; null if the sources are at fault. */
async function bundlerProblem({ name }: AssetBuild): Promise<ConfigError | null> {
  const without = `the ${name} cannot be built`;
  if (findPackageJSON('vite', import.meta.url) === undefined)
    return new ConfigError(
      `${without}: the development packages are missing. Run npm ci without --omit=dev, or install a release.`,
    );
  const bundler = ['rolldown', 'lightningcss'].map((each) => ({ name: each, without, required: true }));
  const [problem] = await findNativeProblems(bundler);
  return problem === undefined ? null : new ConfigError(problem.message);
}

const MARK = '.sources';

const isBuilt = ({ outDir }: AssetBuild, hash: string): boolean => {
  const mark = join(root, outDir, MARK);
  return existsSync(mark) && readFileSync(mark, 'utf8') === hash;
};

/** Built in a temporary folder and renamed, so that no partial build is served and concurrent builds do not mix. */
async function make({ config, outDir }: AssetBuild, hash: string): Promise<void> {
  const place = join(root, outDir);
  const made = `${place}.${process.pid}`;
  const umask = process.umask(0o022); // the service may run as another user than the one who builds
  try {
    await vite(['build', '--config', join(root, config), '--outDir', made, '--emptyOutDir', '--logLevel', 'error']);
    await writeFile(join(made, MARK), hash);
    await mkdir(join(root, 'dist'), { recursive: true });
    // renamed rather than removed, to keep the gap short for running services
    if (existsSync(place)) await rename(place, `${made}.old`).catch(() => {});
    await rename(made, place).catch((error: unknown) => {
      if (!existsSync(join(place, MARK))) throw error; // otherwise another process was first
    });
  } finally {
    process.umask(umask);
    for (const left of [made, `${made}.old`]) await rm(left, { recursive: true, force: true });
  }
}

/**
 * In a separate process: NODE_ENV of a test would select React's development build, and the service should not keep a bundler in
 * memory.
 */
async function vite(words: readonly string[]): Promise<void> {
  const program = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin', 'vite.js');
  await promisify(execFile)(process.execPath, [program, ...words], { cwd: root, env: { NODE_ENV: 'production' } });
}

async function hashOf({ sources, except = [] }: AssetBuild): Promise<string> {
  const files = (await Promise.all(sources.map((source) => filesOf(join(root, source))))).flat().sort();
  const hash = createHash('sha256');
  const excluded = [...except, 'node_modules'].map((each) => join(root, each, '/'));
  for (const file of files.filter((each) => !excluded.some((folder) => each.startsWith(folder))))
    hash
      .update(`${relative(root, file)}\0`)
      .update(await readFile(file))
      .update('\0');
  return hash.digest('hex');
}

async function filesOf(path: string): Promise<readonly string[]> {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}
