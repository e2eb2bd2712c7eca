import { expect, it } from 'vitest';
import { createEmbedViews } from './embed-views.ts';

it('adds views up, writes them once, and keeps what could not be written', async () => {
  const written: unknown[] = [];
  let fails = false;
  let time = 10;
  const views = createEmbedViews(
    {
      addViews: async (batch) => {
        if (fails) throw new Error('locked');
        written.push(...batch);
      },
    },
    () => time++,
  );
  await views.flush();
  for (const id of ['a', 'b', 'a']) views.note(id);
  await views.flush();
  await views.flush();
  expect(written).toEqual([
    { id: 'a', count: 2, at: 12 },
    { id: 'b', count: 1, at: 11 },
  ]);
  fails = true;
  views.note('a');
  await expect(views.flush()).rejects.toThrow('locked');
  views.note('a');
  fails = false;
  await views.flush();
  expect(written.at(-1)).toEqual({ id: 'a', count: 2, at: 14 });
});
