import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
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

/** The queries of a folder by name, or everything that cannot be read in it. */
export async function readFolder(
  folder: string,
): Promise<{ queries: readonly QueryInFolder[]; problems: readonly ProblemInFile[] }> {
  const names = await readdir(join(folder, QUERIES)).catch(() => {
    throw new ConfigError(`there is no folder ${join(folder, QUERIES)}; sluice catalog export creates it`);
  });
  const files = new Set(names.filter((name) => name.endsWith(SQL)));
  const queries: QueryInFolder[] = [];
  const problems: ProblemInFile[] = [];
  for (const name of [...files].toSorted()) {
    const file = `${QUERIES}/${name}`;
    if (name.endsWith(EPILOGUE)) {
      const main = name.slice(0, -EPILOGUE.length) + SQL;
      if (!files.has(main)) problems.push({ file, line: 1, message: `There is no ${main} that this Epilogue belongs to.` });
      continue;
    }
    const queryName = name.slice(0, -SQL.length).normalize('NFC'); // some file systems take names apart
    const epilogue = files.has(queryName + EPILOGUE) ? await readFile(join(folder, pathOf(queryName, 'epilogue')), 'utf8') : null;
    const read = readQueryFile({ sql: await readFile(join(folder, file), 'utf8'), epilogue });
    if ('message' in read) problems.push({ file, ...read });
    else queries.push({ queryName, file, ...read });
  }
  return { queries, problems };
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
      const before = await readFile(path, 'utf8').catch(() => null);
      if (content === before) continue;
      if (content === null) await rm(path);
      else await writeFile(path, content);
      written++;
    }
  }
  const names = (await readdir(join(folder, QUERIES))).filter((name) => name.endsWith(SQL));
  const queryNameOf = (name: string): string => name.slice(0, -(name.endsWith(EPILOGUE) ? EPILOGUE : SQL).length);
  return { written, others: names.filter((name) => !queries.has(queryNameOf(name))).map((name) => `${QUERIES}/${name}`) };
}
