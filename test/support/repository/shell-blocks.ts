import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface BlockRun {
  readonly code: number; // exit code of the block
  readonly printed: string;
  readonly statuses: readonly number[]; // HTTP statuses of its curl calls
}

export const hasShell = (): boolean => ['bash', 'curl'].every((command) => spawnSync(command, ['--version']).status === 0);

/**
 * Runs blocks one after the other in one shell, so that they share variables. Each stops at its first failure. A wrapper of curl
 * records the status of every response.
 */
export async function runBlocks(
  scripts: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<readonly BlockRun[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-shell-'));
  try {
    const parts = scripts.map((script, index) => partOf(script, join(folder, String(index))));
    await bash([preamble, ...parts].join('\n'), environment, folder);
    return await Promise.all(scripts.map((_, index) => readRun(join(folder, String(index)))));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const preamble = `set -euo pipefail
curl() { command curl --max-time 20 -D "$(mktemp "$notes/headers.XXXXXX")" "$@"; }`;

const partOf = (script: string, folder: string): string => `
mkdir ${folder}; notes=${folder}
{
${script}
} > ${folder}/printed 2>&1
echo 0 > ${folder}/code`;

async function bash(script: string, environment: Readonly<Record<string, string>>, cwd: string): Promise<void> {
  await new Promise<void>((resolve) => {
    execFile('bash', ['-c', script], { cwd, env: { PATH: process.env.PATH, ...environment } }, () => resolve());
  });
}

async function readRun(folder: string): Promise<BlockRun> {
  const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8').catch(() => '');
  const names = await readdir(folder).catch(() => []);
  const headers = await Promise.all(names.filter((name) => name.startsWith('headers.')).map(read));
  return {
    code: Number((await read('code')) || 1),
    printed: await read('printed'),
    statuses: headers.map((text) => Number(/^HTTP\/\S+ (\d{3})/.exec(text)?.[1] ?? 0)),
  };
}
