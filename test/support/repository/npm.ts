import { execFile } from 'node:child_process';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Runs npm without the settings of the test run and returns its output on both streams. */
export async function npm(folder: string, ...args: readonly string[]): Promise<string> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(SLUICE_|NODE_ENV$|VITEST|npm_(?!config_)|npm_config_local_prefix$)/.test(name),
  );
  const { stdout, stderr } = await promisify(execFile)('npm', [...args, '--no-audit', '--no-fund'], {
    cwd: folder,
    env: Object.fromEntries(inherited),
    maxBuffer: 2 ** 24,
  });
  return `${stdout}${stderr}`;
}

/** The disk usage of a folder as reported by `du`. */
export async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    bytes += (await lstat(join(entry.parentPath, entry.name))).blocks * 512;
  return bytes;
}
