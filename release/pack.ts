import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildMissingAssets } from '../src/commands/build-assets.ts';

const root = join(import.meta.dirname, '..');

/** `npm run release:pack`: a tarball with the built pages that npm installs and runs without a bundler; see docs/releasing.md. */
async function main(): Promise<void> {
  await buildMissingAssets(tell);
  const folder = mkdtempSync(join(tmpdir(), 'sluice-release-'));
  try {
    for (const name of ['src', 'demo']) copySources(name, folder);
    for (const name of [
      'bin',
      'dist/drawing',
      'dist/embed',
      'dist/chart-app',
      'dist/web',
      'LICENSE',
      'NOTICE',
      'README.md',
      'CHANGELOG.md',
      'docs',
    ])
      cpSync(join(root, name), join(folder, name), { recursive: true, filter: (path) => !path.endsWith('/.sources') });
    installPackages(folder);
    writeServerJson(folder);
    const name = run(folder, 'npm', 'pack', '--silent', '--pack-destination', join(root, 'dist')).trim();
    tell(`dist/${name}: ${(statSync(join(root, 'dist', name)).size / 2 ** 20).toFixed(1)} MiB`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Node strips types, but not below node_modules. Stripped here in the same way, every line keeps its number. */
function copySources(name: string, folder: string): void {
  for (const entry of readdirSync(join(root, name), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('.test.ts')) continue;
    const from = join(entry.parentPath, entry.name);
    const to = join(folder, from.slice(root.length));
    mkdirSync(dirname(to), { recursive: true });
    if (entry.name.endsWith('.ts')) writeFileSync(to.replace(/\.ts$/, '.js'), javaScriptOf(readFileSync(from, 'utf8')));
    else cpSync(from, to);
  }
}

const javaScriptOf = (source: string): string =>
  stripTypeScriptTypes(source).replace(/(['"])(\.{1,2}\/[^'"\n]*)\.ts\1/g, '$1$2.js$1');

/**
 * The packages in the versions and with the overrides of the lockfile: they go into the tarball, because npm looks at neither when it installs one.
 * Those with compiled code do not: npm fetches the builds that the machine at hand needs.
 */
function installPackages(folder: string): void {
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) cpSync(join(root, name), join(folder, name));
  run(folder, 'npm', 'ci', '--omit=dev', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund');
  for (const file of readdirSync(join(folder, 'node_modules'), { recursive: true, encoding: 'utf8' }))
    if (/\.map$|\.d\.[cm]?ts$/.test(file)) rmSync(join(folder, 'node_modules', file)); // for those who develop with a package
  const { name, mcpName, version, description, license, type, bin, dependencies, optionalDependencies } = readPackage();
  const bundleDependencies = Object.keys(dependencies).filter((each) => !native.includes(each));
  // `engines` is left out: npm would compare it with the Node that runs npm, and the release brings its own
  const platforms = { os: ['linux'], cpu: ['x64', 'arm64'], libc: ['glibc'] };
  const parts = {
    name,
    mcpName,
    version,
    description,
    license,
    type,
    bin,
    ...platforms,
    dependencies,
    optionalDependencies,
    bundleDependencies,
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(parts, null, 2)}\n`);
}

/**
 * The entry for registry.modelcontextprotocol.io, in the tarball and beside it. The registry takes it if `mcpName` of the published package is its
 * name.
 */
function writeServerJson(folder: string): void {
  const { name, mcpName, version, description } = readPackage();
  const key = { name: 'X-API-Key', description: 'A key of My Account → API Keys.', isRequired: true, isSecret: true };
  const server = {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title: 'Sluice',
    description,
    version,
    packages: [
      {
        registryType: 'npm',
        identifier: name,
        version,
        runtimeHint: 'npx',
        packageArguments: [{ type: 'positional', value: 'start' }],
        environmentVariables: [
          { name: 'SLUICE_PORT', description: 'The port on which the service listens.', format: 'number', default: '8080' },
          {
            name: 'SLUICE_DATA',
            description: 'The folder for everything that it writes.',
            format: 'filepath',
            default: './data',
          },
        ],
        transport: { type: 'streamable-http', url: 'http://127.0.0.1:{SLUICE_PORT}/mcp', headers: [key] },
      },
    ],
  };
  const text = `${JSON.stringify(server, null, 2)}\n`;
  for (const target of [folder, join(root, 'dist')]) writeFileSync(join(target, 'server.json'), text);
}

const native = ['@duckdb/node-api', '@duckdb/node-bindings', '@node-rs/argon2', '@resvg/resvg-js'];

interface PackageJson extends Record<string, unknown> {
  readonly dependencies: Readonly<Record<string, string>>;
}

const readPackage = (): PackageJson => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const run = (cwd: string, command: string, ...words: readonly string[]): string =>
  execFileSync(command, words, { cwd, encoding: 'utf8' });

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
