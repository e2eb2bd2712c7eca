import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll } from 'vitest';
import type { Connector, OpenRequest, ConnectorContext } from '../../../src/connectors/connector.ts';
import { sqlite } from '../../../src/connectors/sqlite/index.ts';
import { childrenOf } from '../../support/databases/engine-processes.ts';
import type { OpenedFixture } from '../connector-contract.ts';
import { jsonRows, createSignal } from '../connector-steps.ts';
import { storedCells } from './cells.ts';

export const connections = 3;
const home = await mkdtemp(join(tmpdir(), 'sqlite-contract-'));
export const folders = {
  files: join(home, 'files'),
  data: join(home, 'data'),
  scratch: join(home, 'scratch'),
  outside: join(home, 'outside'),
};
export const template = join(folders.outside, 'template.db');
export const secret = join(folders.outside, 'secret.txt');

await Promise.all(Object.values(folders).map((folder) => mkdir(folder, { recursive: true })));
await writeFile(secret, 'hush\n');
createTemplate();
afterAll(() => rm(home, { recursive: true, force: true }));

const context: ConnectorContext = {
  fileFolders: [folders.files],
  trustedFiles: [join(folders.data, 'demo.db')],
  dataFolder: folders.data,
  scratchFolder: folders.scratch,
  connections,
};

export const request = (file: unknown, writable = false): OpenRequest => ({
  name: 'test',
  connection: { file },
  settings: {},
  writable,
  context,
});

let copies = 0;
export async function openCopy({ writable }: { writable: boolean }): Promise<OpenedFixture & { readonly file: string }> {
  const file = join(folders.files, `copy-${++copies}.db`);
  await cp(template, file);
  const connector = await sqlite.open(request(file, writable));
  const canary = async () => {
    const names = (await readdir(home, { recursive: true })).filter((name) => !name.startsWith('scratch')).sort();
    const bytes = createHash('sha256');
    for (const path of [file, template, secret]) bytes.update(await readFile(path));
    const counts = await rowsOf(connector, 'SELECT (SELECT count(*) FROM items), (SELECT count(*) FROM log)');
    return JSON.stringify([names, counts, bytes.digest('hex')]);
  };
  return { connector, file, canary, close: () => connector.close() };
}

export const rowsOf = async (connector: Connector, sql: string): Promise<string[][]> =>
  jsonRows(await connector.run({ sql, parameters: [] }, { timeoutMs: 30_000 }, createSignal()));

/** The ids of the SQLite processes that this process has started. */
export const processIds = (parent?: number): Promise<number[]> => childrenOf('sqlite/child/main.ts', parent);

export const series = (count: number, columns: string): string =>
  `WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT ${count}) SELECT ${columns} FROM s`;

/** Runs until it is cancelled. */
export const slow = 'WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s) SELECT count(*) FROM s';

function createTemplate(): void {
  const database = new DatabaseSync(template);
  database.exec(`
    CREATE TABLE items (id INTEGER NOT NULL, name VARCHAR(20) NOT NULL, note TEXT);
    INSERT INTO items VALUES (1, 'one', NULL), (2, 'two', 'second');
    CREATE VIEW named AS SELECT name FROM items;
    CREATE VIEW broken AS SELECT gone FROM nowhere;
    CREATE TABLE log (number INTEGER);
    CREATE TABLE digits (d INTEGER);
    INSERT INTO digits VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);
    CREATE TABLE flags (flag BOOLEAN);
    INSERT INTO flags VALUES (0), (1);
    CREATE VIRTUAL TABLE notes USING fts5(body);
    INSERT INTO notes VALUES ('the quick brown fox'), ('the lazy dog');
    CREATE TABLE cells (
      an_integer BIGINT, a_real DOUBLE, a_decimal DECIMAL(10,2), a_text TEXT, a_varchar VARCHAR(10), a_blob BLOB, a_boolean BOOLEAN,
      a_date DATE, a_time TIME, a_timestamp DATETIME, a_timestamptz TIMESTAMPTZ, a_json JSON, a_uuid UUID, an_other GEOMETRY,
      an_any, a_point POINT, an_interval INTERVAL);
    PRAGMA user_version = 7;`);
  for (const { column, sql } of storedCells) database.exec(`INSERT INTO cells (${column}) VALUES (${sql})`);
  database.close();
}
