import { fork } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ConfigError } from '../config/config.ts';
import { lockDataFolder, lockInstallation, openDataFolder } from './data-folder.ts';

let root: string;
let path: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'data-folder-'));
  path = join(root, 'deep', 'data');
});
afterEach(() => rmSync(root, { recursive: true }));

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

it('is created readable by its owner only, with a stable secret', () => {
  const folder = openDataFolder(path);
  expect(folder.secret).toHaveLength(32);
  expect(modeOf(path)).toBe('700');
  for (const each of [folder.snapshots, folder.scratch]) expect(modeOf(each)).toBe('700');
  expect(modeOf(join(path, 'secret'))).toBe('600');
  expect(openDataFolder(path).secret).toEqual(folder.secret);
  expect(readdirSync(path).toSorted()).toEqual(['exports', 'scratch', 'secret', 'snapshots']);
});

it('is rejected if others can read it or its secret', () => {
  openDataFolder(path);
  chmodSync(path, 0o755);
  expect(() => openDataFolder(path)).toThrow(new ConfigError(`${path} can be read by others; run: chmod 700 ${path}`));
  chmodSync(path, 0o700);
  chmodSync(join(path, 'secret'), 0o640);
  expect(() => openDataFolder(path)).toThrow(`chmod 600 ${join(path, 'secret')}`);
});

it.each(['', 'short', 'x'.repeat(100)])('is rejected if the secret is damaged: %j', (secret) => {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  writeFileSync(join(path, 'secret'), secret, { mode: 0o600 });
  expect(() => openDataFolder(path)).toThrow(ConfigError);
  expect(readFileSync(join(path, 'secret'), 'utf8')).toBe(secret);
});

it('can be locked by one service at a time, and again after it exits or crashes', async () => {
  const folder = openDataFolder(path);
  const release = lockDataFolder(folder);
  expect(() => lockDataFolder(folder)).toThrow(/in use by another Sluice/);
  release();

  const script = join(root, 'hold.ts');
  const module = JSON.stringify(new URL('./data-folder.ts', import.meta.url).href);
  writeFileSync(
    script,
    `const { openDataFolder, lockDataFolder } = await import(${module});
     globalThis.lock = lockDataFolder(openDataFolder(process.argv[2]));
     process.send('held');
     setInterval(() => {}, 1000);`,
  );
  const holder = fork(script, [path], { execArgv: [] });
  await once(holder, 'message');
  expect(() => lockDataFolder(folder)).toThrow(ConfigError);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  lockDataFolder(folder)();
});

it('clears leftovers of killed processes, and nothing else', () => {
  const folder = openDataFolder(path);
  mkdirSync(join(folder.scratch, 'spill'));
  writeFileSync(join(folder.scratch, 'spill', 'part'), 'x');
  writeFileSync(join(folder.snapshots, 'kept'), 'x');
  lockInstallation({ dataFolder: path, secrets: [], metadataUrl: null })();
  expect(readdirSync(folder.scratch)).toEqual([]);
  expect(existsSync(join(folder.snapshots, 'kept'))).toBe(true);
});
