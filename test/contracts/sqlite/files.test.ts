import { chmod, cp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { MISSING_FILE } from '../../../src/connectors/connector.ts';
import { sqlite } from '../../../src/connectors/sqlite/index.ts';
import { drain, endsAs, createSignal, number, rejection } from '../connector-steps.ts';
import { folders, openCopy, request, rowsOf, series, template } from './fixture.ts';

describe('files that may be opened', () => {
  const check = (file: unknown) => sqlite.check(request(file)).map(({ message }) => message);

  beforeAll(async () => {
    for (const folder of [folders.files, folders.data]) await cp(template, join(folder, 'demo.db'));
    await cp(template, join(folders.data, 'metadata.db'));
    await writeFile(join(folders.files, 'no-database.txt'), 'just some text, longer than a header');
    await writeFile(join(folders.files, 'empty.db'), '');
    await symlink(template, join(folders.files, 'link.db'));
    await symlink(folders.outside, join(folders.files, 'folder-link'));
  });

  test('files in the folders and trusted files', () => {
    expect(check(join(folders.files, 'demo.db'))).toEqual([]);
    expect(check('demo.db')).toEqual([]);
    expect(check(join(folders.data, 'demo.db'))).toEqual([]);
  });

  test.each([
    template,
    '/etc/passwd',
    '../outside/template.db',
    join(folders.files, 'link.db'),
    join(folders.files, 'folder-link', 'template.db'),
    join(folders.data, 'metadata.db'),
  ])('refuses %s, which is outside the folders', async (file) => {
    expect(check(file)).toEqual([expect.stringContaining('must be in a folder that the service allows')]);
    await expect(sqlite.open(request(file))).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test.each([
    [join(folders.files, 'no-database.txt'), 'not a SQLite database'],
    [join(folders.files, 'empty.db'), 'not a SQLite database'],
    ['', 'Name the database file'],
    [undefined, 'Name the database file'],
    ['demo.db\0', 'not the name of a file'],
    [':memory:', 'not the name of a file'],
    ['file:demo.db?mode=rwc', 'not the name of a file'],
  ])('refuses %s', (file, message) => {
    expect(check(file)).toEqual([expect.stringContaining(message)]);
  });

  test.each([join(folders.files, 'missing.db'), 'missing.db'])('%s is reported as missing when it is opened', async (file) => {
    expect(check(file)).toEqual([]);
    await expect(sqlite.open(request(file))).rejects.toMatchObject({
      kind: 'unavailable',
      message: MISSING_FILE,
      isForAuthors: true,
    });
  });

  test('reports unknown fields', () => {
    const fields = sqlite.check({ ...request('demo.db'), connection: { file: 'demo.db', host: 'x' }, settings: { mode: 'rw' } });
    expect(fields.map(({ field }) => field)).toEqual(['connection.host', 'settings.mode']);
  });
});

describe('a file changed by other processes', () => {
  const changed = (file: string, sql: string) => {
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
  };

  test('shows committed changes, and each result is a consistent snapshot', async () => {
    const { connector, file, close } = await openCopy({ writable: false });
    changed(file, 'PRAGMA journal_mode = WAL');
    const writer = new DatabaseSync(file);
    const sql = 'SELECT (SELECT count(*) FROM log) FROM digits a, digits b, digits c, digits d, digits e';
    const rows = await connector.run({ sql, parameters: [] }, { timeoutMs: 30_000 }, createSignal());
    writer.exec('INSERT INTO log VALUES (1)');
    const counts = new Set<unknown>();
    for await (const batch of rows.batches()) for (let i = 0; i < batch.length; i++) counts.add(batch.value(i, 0));
    expect([...counts]).toEqual([0]);
    expect(await rowsOf(connector, 'SELECT count(*) FROM log')).toEqual([['1']]);
    writer.close();
    await close();
  });

  test('is awaited while locked, for a limited time', async () => {
    const { connector, file, close } = await openCopy({ writable: false });
    const writer = new DatabaseSync(file);
    await rowsOf(connector, 'SELECT 1'); // starts its process
    writer.exec('BEGIN EXCLUSIVE');
    let isDone = false;
    const waiting = rowsOf(connector, 'SELECT count(*) FROM items').finally(() => {
      isDone = true;
    });
    await sleep(200);
    expect(isDone).toBe(false);
    writer.exec('COMMIT');
    expect(await waiting).toEqual([['2']]);
    writer.exec('BEGIN EXCLUSIVE');
    const refused = await rejection(rowsOf(connector, 'SELECT count(*) FROM items'));
    expect(refused).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('locked') });
    writer.close();
    await close();
  });

  test('can be replaced, and its schema can change between two calls', async () => {
    const { connector, file, close } = await openCopy({ writable: false });
    expect(await rowsOf(connector, 'SELECT * FROM items WHERE id = 1')).toEqual([['1', '"one"', 'null']]);
    changed(file, 'ALTER TABLE items ADD COLUMN more TEXT DEFAULT $$x$$'.replaceAll('$$', "'"));
    expect(await rowsOf(connector, 'SELECT * FROM items WHERE id = 1')).toEqual([['1', '"one"', 'null', '"x"']]);
    await cp(template, `${file}.new`);
    changed(`${file}.new`, 'DELETE FROM items');
    await rename(`${file}.new`, file);
    expect(await rowsOf(connector, 'SELECT * FROM items')).toEqual([]);
    await close();
  });

  test('is not followed out of its folder, and is reported when missing', async () => {
    const { connector, file, close } = await openCopy({ writable: false });
    await rm(file);
    const missing = { kind: 'unavailable', message: MISSING_FILE, isForAuthors: true };
    expect(await rejection(rowsOf(connector, 'SELECT 1'))).toMatchObject(missing);
    await symlink(template, file);
    expect((await rejection(rowsOf(connector, 'SELECT 1'))).kind).toBe('unavailable');
    expect((await rejection(connector.ping(createSignal()))).message).not.toContain(folders.files);
    await rm(file);
    await cp(template, file);
    expect(await rowsOf(connector, 'SELECT count(*) FROM items')).toEqual([['2']]);
    await writeFile(file, 'no longer a database, but long enough to be read as one. '.repeat(100));
    expect((await rejection(rowsOf(connector, 'SELECT count(*) FROM items'))).kind).toBe('unavailable');
    await close();
  });

  test('can be read when it is read-only', async () => {
    const { connector, file, close } = await openCopy({ writable: false });
    await chmod(file, 0o444);
    expect(await rowsOf(connector, 'SELECT count(*) FROM items')).toEqual([['2']]);
    await close();
  });
});

describe('an Epilogue killed while it writes', () => {
  test.each(['DELETE', 'WAL'])('leaves the file unchanged (journal mode %s)', async (mode) => {
    const { connector, file, close } = await openCopy({ writable: true });
    const writer = new DatabaseSync(file);
    writer.exec(`PRAGMA journal_mode = ${mode}`);
    writer.close();
    const endless = series(1e9, 'n').replace('SELECT n FROM s', 'INSERT INTO log SELECT n FROM s');
    const statement = { sql: 'SELECT 1', epilogue: endless, parameters: [] };
    await endsAs('cancelled', (signal) => drain(connector.run(statement, { timeoutMs: 60_000 }, signal)), 1500);
    expect(await rowsOf(connector, 'SELECT count(*) FROM log')).toEqual([['0']]);
    const parameters = [number('@Number', '5')];
    const adding = { sql: 'SELECT 1', epilogue: 'INSERT INTO log VALUES (@Number)', parameters };
    await Promise.all(Array.from({ length: 6 }, () => drain(connector.run(adding, { timeoutMs: 30_000 }, createSignal()))));
    expect(await rowsOf(connector, 'SELECT count(*), sum(number) FROM log')).toEqual([['6', '30']]);
    await close();
  });
});
