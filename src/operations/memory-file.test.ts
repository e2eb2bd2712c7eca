import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openMemoryFile } from './memory-file.ts';

test('keeps values for the next start, and starts without them if the file is damaged', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'sluice-memory-')), 'figures.json');
  const open = () => openMemoryFile<{ at: number }>(file, { max: 2 });
  const memory = open();
  for (const at of [1, 2, 3]) memory.set(`key ${at}`, { at });
  await memory.flush();
  expect([1, 2, 3].map((at) => open().get(`key ${at}`))).toEqual([undefined, { at: 2 }, { at: 3 }]);
  await writeFile(file, '[["a", ');
  expect(open().get('key 3')).toBeUndefined();
});
