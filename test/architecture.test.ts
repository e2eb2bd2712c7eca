import { expect, test } from 'vitest';
import { type Import, pageFiles, type SourceFile, serviceFiles, sourceFile } from './support/repository/source-files.ts';

const files = serviceFiles();
const pages = pageFiles();

const foundation = ['src/errors.ts', 'src/sql-value.ts', 'src/config/config.ts', 'src/version.ts', 'src/active-set.ts'];
const domain = ['catalog', 'results', 'charts', 'access', 'audit'];
const contracts = ['src/connectors/connector.ts', 'src/store/metadata-store.ts', 'src/drawing/chart-drawer.ts'];
const below = (...folders: readonly string[]): readonly string[] => folders.map((folder) => `src/${folder}/`);

/** Who may import what: files, or folders with a slash at their end. A folder may always import from itself. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  'src/doors/': [...below('administration', 'delivery', ...domain), ...foundation],
  'src/administration/': [...below('delivery/steps', ...domain), ...contracts, ...foundation],
  'src/delivery/': [...below(...domain), ...contracts, ...foundation],
  ...Object.fromEntries(
    domain.map((folder, index) => [`src/${folder}/`, [...below(...domain.slice(0, index)), 'src/errors.ts', 'src/sql-value.ts']]),
  ),
  'src/drawing/': below('charts'),
  'src/connectors/': [...below(...domain), ...contracts, 'src/errors.ts', 'src/sql-value.ts', 'src/active-set.ts'],
  'src/store/': [...below(...domain), ...contracts, 'src/errors.ts', 'src/sql-value.ts'],
};

/** Only types may cross here: by whom, what, and why. */
const typesOnly: readonly (readonly [by: string, what: string, why: string])[] = [
  ['src/doors/', 'src/connectors/connector.ts', 'open-doors hands the connections on to the use-cases'],
  ['src/doors/', 'src/store/metadata-store.ts', 'open-doors hands the store on to the use-cases; lists pass their request on'],
  ['src/administration/', 'src/delivery/call.ts', 'signing in is a call of the pipeline, too'],
  ['src/administration/', 'src/delivery/executions.ts', 'lists and cancels what runs'],
  ['src/administration/', 'src/delivery/running-everywhere.ts', 'lists and cancels what runs'],
  ['src/catalog/', 'src/results/column.ts', 'a version remembers the columns that its validation found'],
];

/** Who alone may import: everything else that does is wrong. */
const onlyImportedBy: readonly (readonly [what: RegExp, by: RegExp])[] = [
  [/^src\/connectors\/[^/]+\/index\.ts$/, /^src\/connectors\/(registry\.ts|[^/]+\/.+)$/],
  [/^src\/connectors\/registry\.ts$/, /^src\/main\.ts$/],
  [/^src\/store\/sql\//, /^src\/(store\/sql\/.+|main\.ts)$/],
  [/^src\/doors\//, /^src\/(doors\/.+|main\.ts)$/],
  [/^src\/drawing\/(?!chart-drawer)/, /^src\/(drawing\/.+|embedding\.ts)$/],
  [/^src\/main\.ts$/, /^src\/commands\//],
  [/^src\/commands\//, /^src\/(cli\.ts|commands\/.+)$/],
  [/^src\/cli\.ts$/, /^$/],
  [/^demo\//, /^src\/main\.ts$/],
];

/** A driver, or a library that would spread, stays where its adapter is. */
const packagesAtHome: readonly (readonly [what: RegExp, home: RegExp])[] = [
  [/^@duckdb\//, /^src\/connectors\/duckdb\//],
  [/^pg$/, /^src\/(store\/sql|connectors\/postgres)\//],
  [/^pg-cursor$/, /^src\/connectors\/postgres\//],
  [/^mysql2$/, /^src\/connectors\/mysql\//],
  [/^tedious$/, /^src\/connectors\/sqlserver\//],
  [/^@clickhouse\//, /^src\/connectors\/clickhouse\//],
  // operations/data-folder.ts: its lock is an SQLite lock, see docs/adr/0011
  [/^node:sqlite$/, /^src\/(store\/sql\/|connectors\/sqlite\/|operations\/data-folder\.ts$)/],
  [/^kysely$/, /^src\/store\/sql\//],
  [/^@?fastify\b/, /^src\/doors\//],
  [/^@node-rs\/argon2$/, /^src\/access\/password\.ts$/],
  [/^echarts\b/, /^src\/charts\//],
  [/^@resvg\//, /^src\/drawing\//],
  [/^openid-client$/, /^src\/administration\/sign-in\/oidc-provider\.ts$/],
  [/^yaml$/, /^src\/config\/config\.ts$/],
];

const outside = /^node:(fs|net|http|https|http2|tls|dgram|dns|child_process|worker_threads|cluster|sqlite)$/;
// results/snapshot, results/files: a snapshot and an export are files by nature, and their clock is handed in
const domainWithFiles = /^src\/results\/(snapshot|files)\//;

test('every file imports only what its layer may', () => {
  expect(files.flatMap(foreignImports)).toEqual([]);
});

test('what has one owner is imported by its owner alone', () => {
  expect(files.flatMap(trespasses)).toEqual([]);
});

test('a connector knows no other connector', () => {
  expect(files.flatMap(otherConnectors)).toEqual([]);
});

test('drivers and large libraries stay in their own folder', () => {
  expect(files.flatMap(strayPackages)).toEqual([]);
});

test('the domain does no I/O and reads no clock', () => {
  expect(files.flatMap(impurities)).toEqual([]);
});

test('the environment is read in one place', () => {
  expect(matching(/\bprocess\.env\b/, /^src\/(config\/config|cli)\.ts$/)).toEqual([]);
});

test('no door spells an error status: errors.ts has the table', () => {
  expect(files.filter(({ path }) => path.startsWith('src/doors/')).flatMap(statusLiterals)).toEqual([]);
});

test('no file tells more than one story', () => {
  expect([...files, ...pages].filter(({ text }) => text.split('\n').length > 400).map(({ path }) => path)).toEqual([]);
});

test('types are neither given up nor silenced', () => {
  expect(matching(/(?:[:<|,]|\bas)\s*any\b(?!\s*[(:.])/)).toEqual([]);
  expect(
    files.filter(({ text }) => /@ts-(?:ignore|nocheck|expect-error)|oxlint-disable/.test(text)).map(({ path }) => path),
  ).toEqual([]);
});

test('no imports go in circles', () => {
  expect(cycles(files)).toEqual([]);
  expect(cycles(pages)).toEqual([]);
});

test('a listed exception is still needed', () => {
  const unused = typesOnly.filter(
    ([by, what]) => !files.some(({ path, imports }) => path.startsWith(by) && imports.some((each) => each.from === what)),
  );
  expect(unused).toEqual([]);
});

test('the rules notice what they forbid', () => {
  const made = (path: string, text: string): SourceFile => sourceFile(path, text);
  expect(foreignImports(made('src/catalog/a.ts', "import { b } from '../access/b.ts';"))).toHaveLength(1);
  expect(foreignImports(made('src/delivery/a.ts', "import type { b } from '../doors/b.ts';"))).toHaveLength(1);
  expect(foreignImports(made('src/doors/a.ts', "import { b } from '../store/metadata-store.ts';"))).toHaveLength(1);
  expect(foreignImports(made('src/doors/a.ts', "import { type b, type c } from '../store/metadata-store.ts';"))).toEqual([]);
  expect(foreignImports(made('src/administration/a.ts', "const b = await import('../delivery/deliver.ts');"))).toHaveLength(1);
  expect(trespasses(made('src/delivery/a.ts', "import { duckdb } from '../connectors/duckdb/index.ts';"))).toHaveLength(1);
  expect(trespasses(made('src/operations/first-start.ts', "import {\n  open,\n} from '../store/sql/sqlite.ts';"))).toHaveLength(
    1,
  );
  expect(otherConnectors(made('src/connectors/mysql/a.ts', "import { b } from '../duckdb/b.ts';"))).toHaveLength(1);
  expect(strayPackages(made('src/doors/a.ts', "import pg from 'pg';"))).toHaveLength(1);
  expect(impurities(made('src/access/a.ts', "import { stat } from 'node:fs/promises';\nDate.now();"))).toHaveLength(2);
  expect(statusLiterals(made('src/doors/a.ts', 'reply.code(404); const status = { status: 500 };'))).toHaveLength(2);
  expect(cycles([made('src/a.ts', "import './b.ts';"), made('src/b.ts', "import './a.ts';")])).toHaveLength(1);
});

function foreignImports({ path, imports }: SourceFile): readonly string[] {
  const layer = Object.entries(mayImport).find(([folder]) => path.startsWith(folder));
  if (layer === undefined) return []; // the composition: main.ts and what it is made of
  const [folder, allowed] = layer;
  const permits = ({ from, typeOnly }: Import): boolean =>
    !from.startsWith('src/') ||
    from.startsWith(folder) ||
    allowed.some((each) => (each.endsWith('/') ? from.startsWith(each) : from === each)) ||
    (typeOnly && typesOnly.some(([by, what]) => by === folder && what === from));
  return imports.filter((each) => !permits(each)).map(({ from }) => `${path} imports ${from}`);
}

function trespasses({ path, imports }: SourceFile): readonly string[] {
  return imports
    .filter(({ from }) => onlyImportedBy.some(([what, by]) => what.test(from) && !by.test(path)))
    .map(({ from }) => `${path} imports ${from}`);
}

function otherConnectors({ path, imports }: SourceFile): readonly string[] {
  // what embedded engines share is in a folder, too
  const folderOf = (file: string): string | undefined => /^src\/connectors\/(?!embedded\/)([^/]+)\//.exec(file)?.[1];
  const own = folderOf(path);
  if (path === 'src/connectors/registry.ts') return [];
  return imports
    .filter(({ from }) => folderOf(from) !== undefined && folderOf(from) !== own)
    .map(({ from }) => `${path} imports ${from}`);
}

function strayPackages({ path, imports }: SourceFile): readonly string[] {
  return imports
    .filter(({ from }) => packagesAtHome.some(([what, home]) => what.test(from) && !home.test(path)))
    .map(({ from }) => `${path} imports ${from}`);
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

/** Each circle once, as the path that leads back to its beginning. */
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
