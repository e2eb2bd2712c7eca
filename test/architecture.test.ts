import { expect, test } from 'vitest';
import { type Import, pageFiles, type SourceFile, serviceFiles, sourceFile } from './support/repository/source-files.ts';

const files = serviceFiles();
const pages = pageFiles();

const domain = ['catalog', 'results', 'charts', 'access', 'audit'];
const contracts = ['src/connectors/connector.ts', 'src/store/metadata-store.ts', 'src/drawing/chart-drawer.ts'];
const shared = ['src/core/', 'src/config/'];
const below = (...folders: readonly string[]): readonly string[] => folders.map((folder) => `src/${folder}/`);

/** The layers and what they may import: files, or folders with a trailing slash. A layer may always import from itself. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  'src/cli.ts': [...below('commands', 'operations', 'config'), ...shared],
  'src/commands/': [...below('composition', 'administration', 'operations', ...domain), 'src/main.ts', ...contracts, ...shared],
  'src/main.ts': ['src/'],
  'src/composition/': ['src/'],
  'src/doors/': [...below('administration', 'pipeline', ...domain), 'src/connectors/engines.ts', ...shared],
  'src/operations/': [...below('administration', 'pipeline', ...domain), ...contracts, 'src/store/metadata-copy.ts', ...shared],
  'src/administration/': [
    ...below('pipeline/steps', 'pipeline/limits', ...domain),
    'src/pipeline/bind.ts',
    'src/pipeline/find-query.ts',
    ...contracts,
    ...shared,
  ],
  'src/pipeline/': [...below(...domain), ...contracts, ...shared],
  ...Object.fromEntries(domain.map((folder, index) => [`src/${folder}/`, below('core', ...domain.slice(0, index))])),
  'src/drawing/': below('charts', 'core'),
  'src/connectors/': [...below('core', ...domain), ...contracts],
  'src/store/': [...below('core', ...domain), ...contracts],
  'src/core/': [],
  'src/config/': [],
  // tools of developers
  'web/generate-api-types.ts': ['src/main.ts', 'src/config/'],
  'web/generate-engines.ts': ['src/connectors/engines.ts', 'src/catalog/'],
  'web/': below('core', 'catalog', 'results', 'charts', 'audit'),
};

/** Imports of types that the layers do not allow: by whom, what, and why. */
const typesOnly: readonly (readonly [by: string, what: string, why: string])[] = [
  ['src/doors/', 'src/store/metadata-store.ts', 'list routes pass their request'],
  ['src/administration/', 'src/pipeline/call.ts', 'a sign-in is a call of the pipeline'],
  ['src/administration/', 'src/pipeline/executions.ts', 'lists and cancels running executions'],
];

/** Files with a single owner: what, and who may import it. */
const onlyImportedBy: readonly (readonly [what: RegExp, by: RegExp])[] = [
  [/^src\/connectors\/[^/]+\/index\.ts$/, /^src\/connectors\/(engines\.ts|[^/]+\/.+)$/],
  [/^src\/connectors\/registry\.ts$/, /^src\/composition\//],
  [/^src\/store\/sql\//, /^src\/(store\/sql\/.+|composition\/storage\.ts)$/],
  [/^src\/doors\//, /^src\/(doors\/.+|main\.ts)$/],
  [/^src\/drawing\/(?!chart-drawer)/, /^src\/(drawing\/.+|composition\/embedding\.ts)$/],
  [/^src\/composition\//, /^src\/(main\.ts|composition\/.+|commands\/.+)$/],
  [/^src\/main\.ts$/, /^(src\/commands\/.+|web\/generate-api-types\.ts)$/],
  [/^src\/commands\//, /^src\/(cli\.ts|commands\/.+)$/],
  [/^demo\//, /^src\/main\.ts$/],
];

/** Packages that only their adapter may import. */
const packagesAtHome: readonly (readonly [what: RegExp, home: RegExp])[] = [
  ...driversAtHome(),
  [/^pg$/, /^src\/(store\/sql|connectors\/postgres)\//],
  // operations/data-folder.ts: its lock is an SQLite lock, see docs/adr/0011
  [/^node:sqlite$/, /^src\/(store\/sql\/|connectors\/sqlite\/|operations\/data-folder\.ts$)/],
  [/^kysely$/, /^src\/store\/sql\//],
  [/^@?fastify\b/, /^src\/doors\//],
  [/^@node-rs\/argon2$/, /^src\/access\/password\.ts$/],
  [/^echarts$/, /^(src\/charts|web)\//],
  [/^@resvg\//, /^src\/drawing\//],
  [/^oidc-provider$/, /^src\/administration\/oauth\//],
  [/^openid-client$/, /^src\/administration\/sign-in\/oidc-provider\.ts$/],
  [/^@aws-sdk\//, /^src\/results\/storage\/s3\//],
  [/^minisearch$/, /^src\/catalog\/query-search\.ts$/],
  [/^yaml$/, /^src\/(config\/config|catalog\/files\/query-file)\.ts$/],
];

/** Subpaths of packages that may be imported: a documented entry point, or internals with a reason. Versions are pinned. */
const subpaths: readonly (readonly [specifier: RegExp, why: string])[] = [
  [/^echarts\/(core|charts|components|features|renderers)$/, 'documented entry points for small bundles'],
  [/^react-dom\/client$/, 'documented entry point'],
  [/^dayjs\/plugin\//, 'documented entry points'],
  [
    /^hyparquet-writer\/src\/(datapage|metadata|snappy)\.js$/,
    'pages are written from columns as they stream, see docs/dependencies.md',
  ],
  [/^tedious\/lib\//, 'rows are parsed without an object per cell, see src/connectors/sqlserver/row-connection.ts'],
];

const outside = /^node:(fs|net|http|https|http2|tls|dgram|dns|child_process|worker_threads|cluster|sqlite)$/;
// results/storage, results/files: snapshots and exports are stored outside; their clock is a parameter
const domainWithFiles = /^src\/results\/(storage|files)\//;

test('every file belongs to a layer and imports only what the layer may', () => {
  expect([...files, ...pages].filter((file) => layerOf(file) === undefined).map(({ path }) => path)).toEqual([]);
  expect([...files, ...pages].flatMap(foreignImports)).toEqual([]);
});

test('files with a single owner are imported by their owner only', () => {
  expect([...files, ...pages].flatMap(trespasses)).toEqual([]);
});

test('connectors do not import each other', () => {
  expect(files.flatMap(otherConnectors)).toEqual([]);
});

test('drivers and large libraries are imported by their adapter only', () => {
  expect([...files, ...pages].flatMap(strayPackages)).toEqual([]);
});

test('internals of packages are not imported, except those listed', () => {
  expect([...files, ...pages].flatMap(deepImports)).toEqual([]);
});

test('the domain does no I/O and reads no clock', () => {
  expect(files.flatMap(impurities)).toEqual([]);
});

test('the environment is read in one place', () => {
  expect(matching(/\bprocess\.env\b/, /^src\/(config\/config|cli)\.ts$/)).toEqual([]);
});

test('error statuses are in the table of errors.ts only', () => {
  expect(files.filter(({ path }) => path.startsWith('src/doors/')).flatMap(statusLiterals)).toEqual([]);
});

test('no file has more than 400 lines', () => {
  expect([...files, ...pages].filter(({ text }) => text.split('\n').length > 400).map(({ path }) => path)).toEqual([]);
});

test('type checks and lint rules are not disabled', () => {
  expect(matching(/(?:[:<|,]|\bas)\s*any\b(?!\s*[(:.])/)).toEqual([]);
  expect(
    files.filter(({ text }) => /@ts-(?:ignore|nocheck|expect-error)|oxlint-disable/.test(text)).map(({ path }) => path),
  ).toEqual([]);
});

test('there are no import cycles', () => {
  expect(cycles(files)).toEqual([]);
  expect(cycles(pages)).toEqual([]);
});

// the thread exists in every process, and a library like the query builder takes ten megabytes of it
test('the thread that writes the audit trail of SQLite loads no package', () => {
  const packages = loadedBy('src/store/sql/sqlite/audit-thread.ts').filter((each) => !/^(?:src\/|node:)/.test(each));
  expect(packages).toEqual([]);
});

test('every rule and exception still applies to something', () => {
  const all = [...files, ...pages];
  const imports = all.flatMap((file) => file.imports);
  expect(Object.keys(mayImport).filter((layer) => !all.some((file) => layerOf(file) === layer))).toEqual([]);
  expect(
    typesOnly.filter(
      ([by, what]) => !all.some(({ path, imports: own }) => path.startsWith(by) && own.some(({ from }) => from === what)),
    ),
  ).toEqual([]);
  expect([...onlyImportedBy, ...packagesAtHome].filter(([what]) => !imports.some(({ from }) => what.test(from)))).toEqual([]);
  expect(subpaths.filter(([what]) => !imports.some(({ specifier }) => what.test(specifier)))).toEqual([]);
});

test('each rule rejects a violation', () => {
  const made = (path: string, text: string): SourceFile => sourceFile(path, text);
  expect(foreignImports(made('src/catalog/a.ts', "import { b } from '../access/b.ts';"))).toHaveLength(1);
  expect(foreignImports(made('src/pipeline/a.ts', "import type { b } from '../doors/b.ts';"))).toHaveLength(1);
  expect(foreignImports(made('src/doors/a.ts', "import { b } from '../store/metadata-store.ts';"))).toHaveLength(1);
  expect(foreignImports(made('src/doors/a.ts', "import { type b, type c } from '../store/metadata-store.ts';"))).toEqual([]);
  expect(foreignImports(made('src/administration/a.ts', "const b = await import('../pipeline/deliver.ts');"))).toHaveLength(1);
  expect(trespasses(made('src/pipeline/a.ts', "import { duckdb } from '../connectors/duckdb/index.ts';"))).toHaveLength(1);
  expect(
    trespasses(made('src/operations/first-start.ts', "import {\n  open,\n} from '../store/sql/sqlite/sqlite-store.ts';")),
  ).toHaveLength(1);
  expect(otherConnectors(made('src/connectors/mysql/a.ts', "import { b } from '../duckdb/b.ts';"))).toHaveLength(1);
  expect(strayPackages(made('src/doors/a.ts', "import pg from 'pg';"))).toHaveLength(1);
  expect(foreignImports(made('web/home/a.tsx', "import { b } from '../../src/doors/b.ts';"))).toHaveLength(1);
  expect(foreignImports(made('src/core/version.ts', "import { b } from '../catalog/query.ts';"))).toHaveLength(1);
  expect(layerOf(made('src/loose.ts', ''))).toBeUndefined();
  expect(deepImports(made('src/connectors/mysql/a.ts', "import { b } from 'mysql2/lib/packets.js';"))).toHaveLength(1);
  expect(deepImports(made('src/charts/a.ts', "import { b } from 'echarts/core';"))).toEqual([]);
  expect(impurities(made('src/access/a.ts', "import { stat } from 'node:fs/promises';\nDate.now();"))).toHaveLength(2);
  expect(statusLiterals(made('src/doors/a.ts', 'reply.code(404); const status = { status: 500 };'))).toHaveLength(2);
  expect(cycles([made('src/a.ts', "import './b.ts';"), made('src/b.ts', "import './a.ts';")])).toHaveLength(1);
});

/** The first layer whose file or folder contains the path; files are listed before folders that contain them. */
const layerOf = ({ path }: SourceFile): string | undefined =>
  Object.keys(mayImport).find((layer) => (layer.endsWith('/') ? path.startsWith(layer) : path === layer));

function foreignImports(file: SourceFile): readonly string[] {
  const layer = layerOf(file) ?? '';
  const allowed = mayImport[layer] ?? [];
  const permits = ({ from, typeOnly }: Import): boolean =>
    !from.startsWith('src/') ||
    (layer.endsWith('/') && from.startsWith(layer)) ||
    allowed.some((each) => (each.endsWith('/') ? from.startsWith(each) : from === each)) ||
    (typeOnly && typesOnly.some(([by, what]) => by === layer && what === from));
  return file.imports.filter((each) => !permits(each)).map(({ from }) => `${file.path} imports ${from}`);
}

function trespasses({ path, imports }: SourceFile): readonly string[] {
  return imports
    .filter(({ from }) => onlyImportedBy.some(([what, by]) => what.test(from) && !by.test(path)))
    .map(({ from }) => `${path} imports ${from}`);
}

function otherConnectors({ path, imports }: SourceFile): readonly string[] {
  const own = engineIn(path);
  if (path === 'src/connectors/engines.ts') return [];
  return imports
    .filter(({ from }) => engineIn(from) !== undefined && engineIn(from) !== own)
    .map(({ from }) => `${path} imports ${from}`);
}

/** The engine whose folder contains the file; the other folders are shared by engines. */
function engineIn(path: string): string | undefined {
  return /^src\/connectors\/(?!(?:embedded|network|cells|runs|statements)\/)([^/]+)\//.exec(path)?.[1];
}

/** The packages that a connector imports are those of its driver. */
function driversAtHome(): readonly (readonly [what: RegExp, home: RegExp])[] {
  const shared = /^(node:|src\/|zod$|pg$|lru-cache$)/;
  return files.flatMap(({ path, imports }) => {
    const engine = engineIn(path);
    const drivers = imports.filter(({ from }) => engine !== undefined && !shared.test(from));
    return drivers.map(({ from }) => [new RegExp(`^${from}$`), new RegExp(`^src/connectors/${engine}/`)] as const);
  });
}

function strayPackages({ path, imports }: SourceFile): readonly string[] {
  return imports
    .filter(({ from }) => packagesAtHome.some(([what, home]) => what.test(from) && !home.test(path)))
    .map(({ from }) => `${path} imports ${from}`);
}

function deepImports({ path, imports }: SourceFile): readonly string[] {
  const isDeep = ({ from, specifier }: Import): boolean =>
    !specifier.startsWith('.') && !specifier.startsWith('node:') && specifier !== from && !specifier.endsWith('.css');
  return imports
    .filter((each) => isDeep(each) && !subpaths.some(([known]) => known.test(each.specifier)))
    .map(({ specifier }) => `${path} imports ${specifier}`);
}

function impurities({ path, code, imports }: SourceFile): readonly string[] {
  if (!domain.some((folder) => path.startsWith(`src/${folder}/`))) return [];
  const reads = domainWithFiles.test(path) ? [] : imports.filter(({ from }) => outside.test(from)).map(({ from }) => from);
  const clock = /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b/.exec(code);
  return [...reads, ...(clock ?? [])].map((what) => `${path} uses ${what}`);
}

const statusLiterals = ({ path, code }: SourceFile): readonly string[] =>
  [...code.matchAll(/\.(?:code|status)\(\s*[45]\d\d|(?<!\.)\bstatus(?:Code)?\s*[:=]\s*[45]\d\d/g)].map(
    ([found]) => `${path}: ${found}`,
  );

const matching = (pattern: RegExp, except = /^$/): readonly string[] =>
  files.filter(({ path, code }) => pattern.test(code) && !except.test(path)).map(({ path }) => path);

/** What a file loads, directly or through others: files and packages. */
function loadedBy(path: string): readonly string[] {
  const loaded = new Set([path]);
  for (const each of loaded) {
    const imports = files.find((file) => file.path === each)?.imports ?? [];
    for (const { from } of imports.filter(({ typeOnly }) => !typeOnly)) loaded.add(from);
  }
  return [...loaded];
}

/** Each cycle once, as the path back to its start. */
function cycles(among: readonly SourceFile[]): readonly string[] {
  const importsOf = new Map(among.map(({ path, imports }) => [path, imports.map(({ from }) => from)]));
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) found.push([...trail.slice(start), path].join(' → '));
    if (start >= 0 || done.has(path)) return;
    for (const next of importsOf.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of importsOf.keys()) visit(path, []);
  return found;
}
