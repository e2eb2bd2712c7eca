import { expect, test } from 'vitest';
import { createKeyRing } from '../../access/key-ring.ts';
import { createRefreshTokens } from './refresh-tokens.ts';

const secretOf = (name: string): Buffer => Buffer.alloc(32, name);
const tokensOf = (...names: string[]) => {
  const secrets = names.map(secretOf);
  return createRefreshTokens(createKeyRing(() => secrets));
};

test('names the grant of a token, also after the secret was rotated', () => {
  const token = tokensOf('old').create('the-grant');
  expect(tokensOf('old').grantIdOf(token)).toBe('the-grant');
  expect(tokensOf('new', 'old').grantIdOf(token)).toBe('the-grant');
  expect(tokensOf('new').grantIdOf(token)).toBeNull();
});

test('is different each time', () => {
  const tokens = tokensOf('one');
  expect(tokens.create('the-grant')).not.toBe(tokens.create('the-grant'));
});

test('names no grant for a token that was not issued here', () => {
  const tokens = tokensOf('one');
  const [grantId = '', random = '', signature = ''] = tokens.create('the-grant').split('~');
  for (const forged of [
    '',
    '~',
    grantId,
    `${grantId}~${random}`,
    `${grantId}~${random}~`,
    `${grantId}~${random}~${signature.slice(1)}`,
    `other~${random}~${signature}`,
    `${grantId}~${random}x~${signature}`,
    `${grantId}~~${signature}`,
  ])
    expect([forged, tokens.grantIdOf(forged)]).toEqual([forged, null]);
});
