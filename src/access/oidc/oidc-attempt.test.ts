import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createKeyRing } from '../key-ring.ts';
import { createSecretBox } from '../secret-box.ts';
import { ATTEMPT_SECONDS, createAttempts, toLocalPath } from './oidc-attempt.ts';

const ringOf = (...secrets: readonly Buffer[]) => createKeyRing({ secrets: () => secrets });
const secret = randomBytes(32);
const attempt = { state: 's', nonce: 'n', verifier: 'v', next: '/queries', at: 1_000_000 };

it('opens a sealed attempt for ten minutes', () => {
  const attempts = createAttempts(ringOf(secret));
  const sealed = attempts.seal(attempt);
  expect(sealed).toMatch(/^[\w.-]+$/); // needs no escaping in a cookie
  expect(attempts.open(sealed, attempt.at + ATTEMPT_SECONDS * 1000)).toEqual(attempt);
  expect(attempts.open(sealed, attempt.at + ATTEMPT_SECONDS * 1000 + 1)).toBeNull();
});

it('rejects altered attempts and those sealed elsewhere or for another purpose', () => {
  const attempts = createAttempts(ringOf(secret));
  const sealed = attempts.seal(attempt);
  for (const text of [
    '',
    'v1.',
    sealed.slice(0, -2),
    sealed.replace('v1.', 'v1.A'),
    createAttempts(ringOf(randomBytes(32))).seal(attempt),
  ])
    expect(attempts.open(text, attempt.at)).toBeNull();
  expect(attempts.open(createSecretBox(secret).seal(JSON.stringify(attempt), 'attempt'), attempt.at)).toBeNull();
});

it('opens an attempt sealed under an older secret', () => {
  const sealed = createAttempts(ringOf(secret)).seal(attempt);
  expect(createAttempts(ringOf(randomBytes(32), secret)).open(sealed, attempt.at)).toEqual(attempt);
});

it.each(['/', '/queries', '/queries/7?tab=sql&x=%2F%2Fa#top', '/sign-ins', '/apis'])('accepts the local path %s', (wanted) => {
  expect(toLocalPath(wanted)).toBe(wanted);
});

it.each([
  undefined,
  ['/queries', '/other'],
  '',
  'queries',
  '//elsewhere.example',
  '///elsewhere.example',
  '/\\elsewhere.example',
  '\\\\elsewhere.example',
  '/..//elsewhere.example',
  '/.//elsewhere.example',
  '/%2e%2e//elsewhere.example',
  '/\t/elsewhere.example',
  '/\r\nSet-Cookie: a=b',
  ' //elsewhere.example',
  'https://elsewhere.example',
  'javascript:alert(1)',
  '/sign-in',
  '/sign-in?next=/',
  '/api/v1/session/oidc',
  `/${'x'.repeat(1000)}`,
])('replaces %j with the home page', (wanted) => {
  expect(toLocalPath(wanted)).toBe('/');
});
