import { mkdir, mkdtemp, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createDiskSnapshots } from './disk-snapshots.ts';
import { createSnapshotId } from './snapshot-storage.ts';

it('closes the offsets of a snapshot whose rows cannot be opened', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'snapshots-'));
  const id = createSnapshotId();
  await mkdir(join(folder, id));
  await writeFile(join(folder, id, 'offsets'), Buffer.alloc(8));
  await symlink('rows', join(folder, id, 'rows')); // to itself
  await expect(createDiskSnapshots({ folder, now: Date.now }).open(id)).rejects.toThrow('ELOOP');
  const open = await Promise.all((await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  expect(open).not.toContain(join(folder, id, 'offsets'));
  await rm(folder, { recursive: true });
});
