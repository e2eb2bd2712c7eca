import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFigureMemory } from './figure-memory.ts';

test('keeps figures for the next start, and starts without them if the file is damaged', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'sluice-figures-')), 'figures.json');
  const memory = openFigureMemory(file);
  memory.set('a', { at: 1, figure: null });
  await memory.flush();
  expect(openFigureMemory(file).get('a')).toEqual({ at: 1, figure: null });
  await writeFile(file, '[["a", ');
  expect(openFigureMemory(file).get('a')).toBeUndefined();
});
