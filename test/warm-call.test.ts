import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { admin } from './support/services/service.ts';

/** How many files one has to read to understand the shortest call. */
const MAX_FILES = 55;

test(`a warm ExecuteQuery of one row runs code of at most ${MAX_FILES} files`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-warm-'));
  try {
    await cp(inject('dataTemplate'), join(folder, 'data'), { recursive: true });
    const script = join(import.meta.dirname, 'support', 'repository', 'warm-call-process.ts');
    const { PATH, HOME } = process.env;
    const { stdout } = await promisify(execFile)(process.execPath, [script, admin.username, admin.password], {
      cwd: folder,
      env: { PATH, HOME, SLUICE_PORT: '0', SLUICE_DATA: join(folder, 'data') },
    });
    const files: string[] = JSON.parse(stdout);
    expect(files.length).toBeGreaterThan(20);
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(MAX_FILES);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
