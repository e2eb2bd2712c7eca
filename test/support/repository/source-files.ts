import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

export const root = join(import.meta.dirname, '..', '..', '..');

export interface SourceFile {
  readonly path: string; // from the root: 'src/catalog/cast/cast.ts'
  readonly code: string; // without comments and the content of strings
  readonly text: string;
  readonly imports: readonly Import[];
}

export interface Import {
  readonly from: string; // 'src/core/errors.ts', or the name of a package: 'node:fs', '@duckdb/node-api'
  readonly specifier: string; // as written: 'echarts/core'
  readonly typeOnly: boolean;
}

/** The paths of all files below a folder that match a filter. */
export function filesBelow(folder: string, takes: (path: string) => boolean): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter(takes)
    .sort();
}

export const readText = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The source files of the service without tests. */
export const serviceFiles = (): readonly SourceFile[] =>
  filesBelow('src', (path) => path.endsWith('.ts') && !path.endsWith('.test.ts')).map((path) => sourceFile(path, readText(path)));

/** The source files of the pages without tests and generated declarations. */
export const pageFiles = (): readonly SourceFile[] =>
  filesBelow('web', (path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|\/api-types\.ts$/.test(path)).map((path) =>
    sourceFile(path, readText(path)),
  );

export function sourceFile(path: string, text: string): SourceFile {
  return { path, text, code: codeOf(text), imports: importsOf(path, text) };
}

const statement = /^(?:import|export) (type )?(?:([^'";]*?) from )?'([^']+)'/gm;
const onDemand = /\bimport\('([^']+)'\)/g;

function importsOf(path: string, text: string): readonly Import[] {
  const statements = [...text.matchAll(statement)].map(([, type, names = '', specifier = '']) => ({
    from: resolveSpecifier(path, specifier),
    specifier,
    typeOnly: type !== undefined || hasOnlyTypes(names),
  }));
  const demanded = [...text.matchAll(onDemand)].map(([, specifier = '']) => ({
    from: resolveSpecifier(path, specifier),
    specifier,
    typeOnly: false,
  }));
  return [...statements, ...demanded];
}

/** `{ type A, type B }` */
function hasOnlyTypes(names: string): boolean {
  const named = /^\{([^}]*)\}$/.exec(names.trim())?.[1]?.split(',') ?? [];
  const given = named.map((name) => name.trim()).filter((name) => name !== '');
  return given.length > 0 && given.every((name) => name.startsWith('type '));
}

const resolveSpecifier = (path: string, specifier: string): string =>
  specifier.startsWith('.') ? normalize(join(dirname(path), specifier)) : packageOf(specifier);

/** `@duckdb/node-api/lib/x.js` belongs to `@duckdb/node-api`. */
function packageOf(specifier: string): string {
  const depth = specifier.startsWith('@') ? 2 : 1;
  return specifier.split('/').slice(0, depth).join('/');
}

const stringsAndComments = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;

const codeOf = (text: string): string => text.replace(stringsAndComments, (part) => (part.startsWith('/') ? '' : "''"));
