import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Architecture, readLockedPackages, findNativeBuilds } from '../support/repository/lockfile.ts';
import { npm, sizeOf } from '../support/repository/npm.ts';

const other: Architecture = process.arch === 'arm64' ? 'x64' : 'arm64';
const MACHINE = { x64: 62, arm64: 183 }; // e_machine in the ELF header
const MEBIBYTE = 2 ** 20;

let folder: string;
let modules: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), `sluice-${other}-`));
  modules = join(folder, 'node_modules');
  for (const name of ['package.json', 'package-lock.json', '.npmrc'])
    await cp(join(import.meta.dirname, '../..', name), join(folder, name));
  await npm(folder, 'ci', '--omit=dev', `--cpu=${other}`, '--os=linux', '--libc=glibc', '--ignore-scripts');
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

test(`every native package that the service loads is installed for ${other}`, async () => {
  const families = [...findNativeBuilds(readLockedPackages())].filter(([, builds]) => builds.get(other)?.dev !== true);
  expect(families.length).toBeGreaterThanOrEqual(4);
  for (const [family] of families) {
    const files = await listBinaries(join(modules, family.replace('*', other)));
    expect(files, family).not.toEqual([]);
    for (const file of files) expect([file, await readMachine(file)]).toEqual([file, MACHINE[other]]);
  }
});

test('a production installation takes less than 450 MB', async () => {
  const bytes = await sizeOf(folder);
  process.stdout.write(`production packages for ${other}: ${Math.round(bytes / MEBIBYTE)} MiB\n`);
  expect(bytes).toBeLessThan(450e6);
});

/** Lists native modules and the Node binary. */
async function listBinaries(path: string): Promise<readonly string[]> {
  const files = await readdir(path, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => /\.node$|^bin\/node$/.test(file)).map((file) => join(path, file));
}

async function readMachine(file: string): Promise<number> {
  const bytes = await readFile(file);
  expect(bytes.subarray(0, 4).toString('latin1')).toBe('\x7fELF');
  return bytes.readUInt16LE(18);
}
