import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { npm } from './repository/npm.ts';

const project = resolve(import.meta.dirname, '../programs');

/** The packages of test/programs, installed once for all suites and later runs. Returns their folder. */
export async function installPrograms(): Promise<string> {
  const lock = await readFile(join(project, 'package-lock.json'));
  const folder = join(tmpdir(), `sluice-programs-${createHash('sha256').update(lock).digest('hex').slice(0, 16)}`);
  if (await exists(folder)) return join(folder, 'node_modules');
  const draft = await mkdtemp(`${folder}-`);
  await cp(project, draft, { recursive: true });
  await npm(draft, 'ci', '--ignore-scripts', '--prefer-offline');
  // another suite may have been faster
  await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
  return join(folder, 'node_modules');
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
