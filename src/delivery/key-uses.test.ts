import { expect, it } from 'vitest';
import { createKeyUses } from './key-uses.ts';

type Uses = readonly { id: string; at: number }[];

it('writes the last use of each key in one go, and nothing when there was none', async () => {
  const written: Uses[] = [];
  let now = 1;
  const uses = createKeyUses({ touch: async (batch) => void written.push(batch) }, () => now);
  await uses.flush();
  uses.note('k1');
  uses.note('k2');
  now = 2;
  uses.note('k1');
  await uses.flush();
  await uses.flush();
  expect(written).toEqual([
    [
      { id: 'k1', at: 2 },
      { id: 'k2', at: 1 },
    ],
  ]);
});

it('keeps what could not be written for the next time, under the newer of two uses', async () => {
  const written: Uses[] = [];
  let now = 1;
  let broken = true;
  const touch = async (batch: Uses) => {
    if (broken) {
      now = 2;
      uses.note('k2'); // used again while the store was failing
      throw new Error('locked');
    }
    written.push(batch);
  };
  const uses = createKeyUses({ touch }, () => now);
  uses.note('k1');
  uses.note('k2');
  await expect(uses.flush()).rejects.toThrow('locked');
  broken = false;
  await uses.flush();
  expect(written[0]?.toSorted((a, b) => a.at - b.at)).toEqual([
    { id: 'k1', at: 1 },
    { id: 'k2', at: 2 },
  ]);
});
