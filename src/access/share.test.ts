import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createKeyRing } from './key-ring.ts';
import { createLifetime, createShareParameters, createShareTokens, createStamp, isShareExpired } from './share.ts';

const ringOf = (secret: Buffer) => createKeyRing(() => [secret]);
const tokens = createShareTokens(ringOf(Buffer.alloc(32, 7)), 'embed');
const embed = { id: randomUUID(), stamp: createStamp() };
const token = tokens.sign(embed);

describe('an embed token', () => {
  it('round-trips, and is deterministic', () => {
    expect(tokens.read(token)).toEqual(embed);
    expect(tokens.sign(embed)).toBe(token);
  });

  it('depends on the key and on the stamp', () => {
    expect(createShareTokens(ringOf(Buffer.alloc(32, 8)), 'embed').read(token)).toBeNull();
    expect(tokens.sign({ ...embed, stamp: createStamp() })).not.toBe(token);
    expect(createShareTokens(ringOf(Buffer.alloc(32, 7)), 'link').read(token), 'of another kind').toBeNull();
    expect(createShareTokens(ringOf(Buffer.alloc(32, 7)), 'link').read(`L${token.slice(1)}`)).toBeNull();
  });

  it('is invalid with any character changed', () => {
    for (let at = 0; at < token.length; at++) {
      for (const other of ['A', 'b', '-', '_', '0', '=', '\0', 'é']) {
        if (token[at] !== other) expect(tokens.read(token.slice(0, at) + other + token.slice(at + 1))).toBeNull();
      }
    }
  });

  it.each([
    '',
    'E',
    token.slice(1),
    token.slice(0, -1),
    `${token}A`,
    `${token}=`,
    ` ${token}`,
    `${token}\n`,
    'eyJhbGciOiJub25lIn0.eyJpZCI6IjEifQ.',
    'E'.repeat(100_000),
  ])('is never %j', (text) => {
    expect(tokens.read(text)).toBeNull();
  });
});

it('expires the given number of days after its issue, or never', () => {
  const week = createLifetime(7, 1000);
  expect(week).toMatchObject({ days: 7, issuedAt: 1000, expiresAt: 1000 + 7 * 86_400_000 });
  expect(isShareExpired(week, 1000 + 7 * 86_400_000 - 1)).toBe(false);
  expect(isShareExpired(week, 1000 + 7 * 86_400_000)).toBe(true);
  expect(createLifetime(null, 1000)).toMatchObject({ days: null, expiresAt: null });
  expect(isShareExpired({ expiresAt: null }, Number.MAX_SAFE_INTEGER)).toBe(false);
});

const sent = [
  { ParameterName: '@Customer', Value: 'canary of a customer', DataType: 'nvarchar(50)' },
  { ParameterName: '@From', Value: null },
];
const parameters = createShareParameters(ringOf(randomBytes(32)), 'embed');

it('seals names and values, and opens them for their own embed only', () => {
  const kept = parameters.seal('one', sent);
  expect(kept).toMatch(/^v1\./);
  expect(Buffer.from(String(kept).slice(3), 'base64url').toString('latin1')).not.toContain('anary');
  expect(parameters.open({ id: 'one', parameters: kept })).toEqual(sent);
  expect(parameters.open({ id: 'two', parameters: kept })).toBeNull();
});

it('returns null for parameters sealed under another secret', () => {
  const other = createShareParameters(ringOf(randomBytes(32)), 'embed');
  expect(other.open({ id: 'one', parameters: parameters.seal('one', sent) })).toBeNull();
});

it('reads unsealed parameters of earlier versions, and does not seal an empty list', () => {
  expect(parameters.open({ id: 'one', parameters: sent })).toEqual(sent);
  expect(parameters.seal('one', [])).toEqual([]);
});
