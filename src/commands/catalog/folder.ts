import { isUtf8 } from 'node:buffer';
import type { Dirent } from 'node:fs';
import { lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NamedQuery } from '../../catalog/files/map-databases.ts';
import { type FileProblem, type QueryFile, readQueryFile, type ReadQuery } from '../../catalog/files/query-file.ts';
import { ConfigError } from '../../config/config.ts';

const QUERIES = 'queries';
const EPILOGUE = '.epilogue.sql';
const SQL = '.sql';

/** The path of a file below the folder of the catalog, and what is wrong with it. */
export interface ProblemInFile extends FileProblem {
  readonly file: string;
}

export interface QueryInFolder extends NamedQuery, Pick<ReadQuery, 'lineOf'> {
  readonly file: string;
}

const pathOf = (queryName: string, part: 'sql' | 'epilogue' = 'sql'): string =>
  `${QUERIES}/${queryName}${part === 'sql' ? SQL : EPILOGUE}`;

/** The queries of a folder by name, and everything that cannot be read in it. */
export async function readFolder(
  folder: string,
): Promise<{ queries: readonly QueryInFolder[]; problems: readonly ProblemInFile[] }> {
  const entries = await readdir(join(folder, QUERIES), { withFileTypes: true }).catch(() => {
    throw new ConfigError(`there is no folder ${join(folder, QUERIES)}; sluice catalog export creates it`);
  });
  const problems: ProblemInFile[] = [];
  const files = new Map<string, string>(); // as they are named on the disk, by names in one form: some file systems decompose letters
  for (const entry of entries) {
    const message = problemOf(entry);
    if (message !== null) problems.push({ file: `${QUERIES}/${entry.name}`, line: 1, message });
    else if (entry.name.endsWith(SQL) && !entry.name.startsWith('.')) files.set(entry.name.normalize('NFC'), entry.name);
  }
  const read = async (name: string): Promise<string | null> => {
    const text = await readText(join(folder, QUERIES, files.get(name) ?? name));
    if (typeof text === 'string') return text;
    problems.push({ file: `${QUERIES}/${name}`, ...text });
    return null;
  };
  const queries: QueryInFolder[] = [];
  for (const name of [...files.keys()].toSorted()) {
    const file = `${QUERIES}/${name}`;
    if (name.endsWith(EPILOGUE)) {
      const main = name.slice(0, -EPILOGUE.length) + SQL;
      if (!files.has(main)) problems.push({ file, line: 1, message: `There is no ${main} that this Epilogue belongs to.` });
      continue;
    }
    const queryName = name.slice(0, -SQL.length);
    const ending = files.has(queryName + EPILOGUE) ? await read(queryName + EPILOGUE) : null;
    const epilogue = ending?.replace(BYTE_ORDER_MARK, '') ?? null;
    if (epilogue?.trim() === '')
      problems.push({ file: pathOf(queryName, 'epilogue'), line: 1, message: 'Expected a SQL statement.' });
    const sql = await read(name);
    const found = sql === null ? null : readQueryFile({ sql, epilogue });
    if (found === null) continue;
    if ('message' in found) problems.push({ file, ...found });
    else queries.push({ queryName, file, ...found });
  }
  return { queries, problems };
}

/** Why an entry of the folder cannot be read. If it were ignored, its query would appear to have no file. */
function problemOf(entry: Dirent): string | null {
  if (entry.name.startsWith('.')) return null;
  if (entry.isDirectory()) return `Folders in ${QUERIES} are not read. Move the files of queries out of it.`;
  if (!entry.name.toLowerCase().endsWith(SQL)) return null;
  if (!entry.name.endsWith(SQL)) return `Expected the ending ${SQL} in lower case.`;
  // a link could send another file of this machine to the service
  return entry.isFile() ? null : 'Expected a regular file.';
}

const BYTE_ORDER_MARK = /^\uFEFF/;

async function readText(path: string): Promise<string | FileProblem> {
  const bytes = await readFile(path);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const lines = bytes.toString('latin1').split('\n');
    const line = lines.findIndex((each) => !isUtf8(Buffer.from(each, 'latin1'))) + 1;
    return { line, message: 'Expected text in UTF-8.' };
  }
}

/** Writes the files that differ. Returns how many, and the files of queries that are not among these. */
export async function writeFolder(
  folder: string,
  queries: ReadonlyMap<string, QueryFile>,
): Promise<{ written: number; others: readonly string[] }> {
  await mkdir(join(folder, QUERIES), { recursive: true });
  let written = 0;
  for (const [queryName, file] of queries) {
    // it becomes a path
    if (!/^[\p{L}\p{M}\p{Nd}_]+$/u.test(queryName))
      throw new ConfigError(`the service has a query with the name ${JSON.stringify(queryName)}`);
    for (const part of ['sql', 'epilogue'] as const) {
      const path = join(folder, pathOf(queryName, part));
      const content = file[part];
      const entry = await lstat(path).catch(() => null);
      if (entry?.isFile() === false) throw new ConfigError(`${path} is not a regular file`);
      const before = entry && (await readFile(path, 'utf8'));
      if (content === before) continue;
      if (content === null) await rm(path);
      else await writeFile(path, content);
      written++;
    }
  }
  const names = (await readdir(join(folder, QUERIES))).filter((name) => name.endsWith(SQL));
  const known = new Set(names.map((name) => name.normalize('NFC')));
  const lost = [...queries.keys()].find((queryName) => !known.has(queryName + SQL));
  if (lost !== undefined) throw new ConfigError(`${pathOf(lost)}: this file system has one file for it and another query`);
  const queryNameOf = (name: string): string => name.slice(0, -(name.endsWith(EPILOGUE) ? EPILOGUE : SQL).length);
  return {
    written,
    others: names.filter((name) => !queries.has(queryNameOf(name).normalize('NFC'))).map((name) => `${QUERIES}/${name}`),
  };
}
