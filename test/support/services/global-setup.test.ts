import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');

it.each([
  ['fails', 'expect(1).toBe(2)', 1],
  ['passes', 'expect(1).toBe(1)', 0],
])('a run whose test %s has the right exit code', async (_, check, expected) => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-run-'));
  const config = join(folder, 'vitest.config.mjs');
  await writeFile(join(folder, 'one.test.mjs'), `it('checks', () => { ${check} });`);
  const test = {
    dir: folder,
    include: [`${folder}/*.test.mjs`],
    globals: true,
    globalSetup: [join(import.meta.dirname, 'global-setup.ts')],
  };
  await writeFile(config, `export default ${JSON.stringify({ root, test })};`);
  const { VITEST: _inner, ...env } = process.env;
  const run = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', config], {
    env,
    stdio: 'ignore',
  });
  const [code] = await once(run, 'exit');
  await rm(folder, { recursive: true });
  expect(code).toBe(expected);
});
