import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { hashApiKey, apiKeyState, dayOf, generateApiKey, resolveLimit, nextDayAt, redactKeys } from './api-key.ts';

it('generates keys in the documented form and returns their hash', () => {
  const { id, key, prefix, hash } = generateApiKey();
  expect(key).toMatch(/^slc_[a-z0-9]{8}_[A-Za-z0-9_-]{43}[0-9a-f]{8}$/);
  expect(key.startsWith(`${prefix}_`)).toBe(true);
  expect(prefix).toBe(`slc_${id}`);
  expect(hash).toBe(createHash('sha256').update(key).digest('hex'));
  expect(hashApiKey(key)).toBe(hash);
});

it('never generates the same key twice', () => {
  expect(new Set(Array.from({ length: 1000 }, () => generateApiKey().key)).size).toBe(1000);
});

it('rejects a key with any character changed, by its checksum', () => {
  const { key } = generateApiKey();
  for (let at = 0; at < key.length; at++) {
    const other = key[at] === 'a' ? 'b' : 'a';
    expect(hashApiKey(key.slice(0, at) + other + key.slice(at + 1)), `changed at ${at}`).toBeNull();
  }
});

it.each([
  ['nothing', ''],
  ['another text', 'hello'],
  ['a trailing newline', `${generateApiKey().key}\n`],
  ['surrounding spaces', ` ${generateApiKey().key} `],
  ['upper case', generateApiKey().key.toUpperCase()],
  ['two of them', `${generateApiKey().key}, ${generateApiKey().key}`],
])('rejects %s', (_, text) => {
  expect(hashApiKey(text)).toBeNull();
});

it('is expired at its expiry time, and revoked regardless of expiry', () => {
  expect(apiKeyState({ expiresAt: null, revokedAt: null }, 100)).toBe('active');
  expect(apiKeyState({ expiresAt: 101, revokedAt: null }, 100)).toBe('active');
  expect(apiKeyState({ expiresAt: 100, revokedAt: null }, 100)).toBe('expired');
  expect(apiKeyState({ expiresAt: 50, revokedAt: 40 }, 100)).toBe('revoked');
});

it('truncates keys that occur inside other text', () => {
  const { key, prefix } = generateApiKey();
  expect(redactKeys(`a ${key}, and ${key}x.`)).toBe(`a ${prefix}…, and ${prefix}….`);
  expect(redactKeys('slc_Sales_by_region')).toBe('slc_Sales_by_region');
});

it('redacts signed tokens', () => {
  const token = `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.${Buffer.from('{"sub":"ana"}').toString('base64url')}.${'s'.repeat(43)}`;
  expect(redactKeys(`a ${token}, and "${token}".`)).toBe('a eyJ…, and "eyJ…".');
  expect(redactKeys('eyJ.Sales.Region')).toBe('eyJ.Sales.Region');
});

it.each([
  [undefined, 0, 0],
  [undefined, 7, 7],
  [5, 0, 5],
  [5, 7, 5],
  [9, 7, 7],
])('of a key limit %s and the general limit %i, %i applies', (own, general, counts) => {
  expect(resolveLimit(own, general)).toBe(counts);
});

it('starts a new day at midnight UTC', () => {
  const midnight = Date.UTC(2026, 10, 16);
  expect(dayOf(midnight) - dayOf(midnight - 1)).toBe(1);
  expect(nextDayAt(midnight - 1)).toBe(midnight);
  expect(nextDayAt(midnight)).toBe(midnight + 86_400_000);
});
