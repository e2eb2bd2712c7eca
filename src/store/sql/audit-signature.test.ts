import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { bitsOfText, bitsOfUser, signatureOf } from './audit-signature.ts';
import { normalized } from './text.ts';

const entry = (text: string, user: string | null = null) => ({ searchText: normalized(text), userId: user });
const hasAll = (signature: Uint8Array, bits: readonly number[] | null): boolean =>
  bits !== null && bits.every((bit) => ((signature[bit >> 3] ?? 0) >> (bit & 7)) & 1);
const has = (signature: Uint8Array, text: string): boolean => hasAll(signature, bitsOfText(normalized(text)));

it('has the bits of every part of its texts', () => {
  const text = `${randomUUID()}\nZoë Kowalska\nquery.execute\nQD_100%\n😀 日本語`;
  const signature = signatureOf([entry('another'), entry(text)]);
  const stored = normalized(text);
  const missed: string[] = [];
  for (let start = 0; start < stored.length; start++) {
    for (let end = start + 3; end <= stored.length; end++) {
      const piece = stored.slice(start, end);
      if (piece.isWellFormed() && !hasAll(signature, bitsOfText(piece))) missed.push(piece);
    }
  }
  expect(missed).toEqual([]);
});

it('returns null for texts shorter than three characters', () => {
  expect(bitsOfText('ab')).toBeNull();
  expect(bitsOfText('')).toBeNull();
  expect(bitsOfText('abc')).toHaveLength(1);
  expect(bitsOfText('x'.repeat(5_000))).toHaveLength(2);
  expect(bitsOfText(randomUUID().repeat(10))).toHaveLength(64);
});

it('has the replacements of characters that the store cannot hold', () => {
  const signature = signatureOf([entry('N\ufffdl and \ufffd')]);
  expect(has(signature, 'N\0l')).toBe(true);
  expect(has(signature, 'nd \ud800')).toBe(true);
});

it('excludes nearly every block for a random id, and for the name of one among a hundred users', () => {
  const blocks = Array.from({ length: 200 }, (_, block) =>
    signatureOf(
      Array.from({ length: 128 }, (_each, n) =>
        entry(
          `${randomUUID()}\nuser${n % 100}\nquery.execute\nqd_sales_${n % 50}\n192.0.${block}.${n}\nMozilla/5.0 (X11; Linux x86_64) Firefox/140`,
          `u${n % 100}`,
        ),
      ),
    ),
  );
  const share = (matches: (signature: Uint8Array) => boolean) => blocks.filter(matches).length / blocks.length;
  expect(share((signature) => has(signature, randomUUID()))).toBe(0);
  expect(share((signature) => has(signature, randomUUID().slice(0, 8)))).toBeLessThan(0.2);
  expect(share((signature) => has(signature, 'kowalska'))).toBeLessThan(0.05);
  expect(share((signature) => hasAll(signature, bitsOfUser(randomUUID())))).toBeLessThan(0.2);
  expect(share((signature) => hasAll(signature, bitsOfUser('u7')))).toBe(1);
  expect(share((signature) => has(signature, '192.0.17.99'))).toBeLessThan(0.1);
});
