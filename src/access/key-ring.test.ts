import { expect, it } from 'vitest';
import { createContinuations } from '../results/continuation.ts';
import { createKeyRing } from './key-ring.ts';
import { createSecretBox } from './secret-box.ts';

const [old, fresh] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

it('seals with the newest secret and opens with any of them', () => {
  let secrets: readonly Buffer[] = [old];
  const box = createSecretBox(createKeyRing(() => secrets));
  const before = box.seal('one', 'row');
  secrets = [fresh, old];
  const after = box.seal('two', 'row');
  expect([box.open(before, 'row'), box.open(after, 'row')]).toEqual(['one', 'two']);
  expect(createSecretBox(createKeyRing(() => [fresh])).open(after, 'row')).toBe('two');
  secrets = [fresh];
  expect([box.open(before, 'row'), box.open(after, 'row')]).toEqual([null, 'two']);
});

it('reloads the secrets before it fails', () => {
  const [before, after]: readonly (readonly Buffer[])[] = [[old], [fresh, old]];
  const ring = createKeyRing((now) => (now === 'now' ? after : before) ?? []);
  const codes = ring.each(createContinuations);
  const code = createContinuations(fresh).issue({ kind: 'list', userId: 'u', cursor: 'c' });
  expect(codes.find((each) => each.read(code, 'list'))).toMatchObject({ cursor: 'c' });
  expect(codes.find((each) => each.read(`${code}x`, 'list'))).toBeNull();
});
