import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFolder, writeFolder } from './folder.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sluice-folder-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function folderOf(name: string, files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  await mkdir(join(root, name, 'queries'), { recursive: true });
  for (const [file, text] of Object.entries(files)) await writeFile(join(root, name, 'queries', file), text);
  return join(root, name);
}
const file = (text = 'select 1') => `/*---\nname: A\n---*/\n${text}\n`;

test('reports every file that is not UTF-8, with the line', async () => {
  const folder = await folderOf('encoding', {
    'QD_A.sql': Buffer.from(file("select 'caf\u00e9'"), 'latin1'),
    'QD_B.sql': file('select 1 as "é �"'),
    'QD_B.epilogue.sql': Buffer.from([0x61, 0x0a, 0xff]),
    'QD_C.sql': file(),
  });
  const { queries, problems } = await readFolder(folder);
  expect(problems).toEqual([
    { file: 'queries/QD_A.sql', line: 4, message: 'Expected text in UTF-8.' },
    { file: 'queries/QD_B.epilogue.sql', line: 2, message: 'Expected text in UTF-8.' },
  ]);
  expect(queries.map(({ queryName }) => queryName)).toContain('QD_C');
});

test('reports entries that a plan would leave out: links, folders, other endings', async () => {
  const folder = await folderOf('entries', { 'QD_A.sql': file(), 'QD_B.SQL': file(), 'README.md': '', '.QD_C.sql': 'x' });
  await symlink('/etc/hostname', join(folder, 'queries/QD_A.epilogue.sql'));
  await mkdir(join(folder, 'queries/more'));
  const { queries, problems } = await readFolder(folder);
  expect(problems.toSorted((a, b) => a.file.localeCompare(b.file))).toEqual([
    { file: 'queries/more', line: 1, message: expect.stringContaining('Folders') },
    { file: 'queries/QD_A.epilogue.sql', line: 1, message: 'Expected a regular file.' },
    { file: 'queries/QD_B.SQL', line: 1, message: expect.stringContaining('lower case') },
  ]);
  expect(queries.map(({ queryName }) => queryName)).toEqual(['QD_A']);
});

test('finds an Epilogue whose name has decomposed letters, and refuses an empty one', async () => {
  const name = 'QD_한국_Demo';
  const folder = await folderOf('decomposed', {
    [`${name.normalize('NFD')}.sql`]: file(),
    [`${name.normalize('NFD')}.epilogue.sql`]: '\uFEFFdelete from t\n',
    'QD_Empty.sql': file(),
    'QD_Empty.epilogue.sql': '\n',
  });
  const { queries, problems } = await readFolder(folder);
  expect(queries.find(({ queryName }) => queryName === name)?.fields).toMatchObject({ epilogue: 'delete from t' });
  expect(problems).toEqual([{ file: 'queries/QD_Empty.epilogue.sql', line: 1, message: 'Expected a SQL statement.' }]);
});

test('does not write through a link', async () => {
  const folder = await folderOf('linked', {});
  await writeFile(join(root, 'elsewhere'), 'mine');
  await symlink(join(root, 'elsewhere'), join(folder, 'queries/QD_A.sql'));
  await expect(writeFolder(folder, new Map([['QD_A', { sql: 'select 1\n', epilogue: null }]]))).rejects.toThrow('regular file');
  expect(await readFile(join(root, 'elsewhere'), 'utf8')).toBe('mine');
});
