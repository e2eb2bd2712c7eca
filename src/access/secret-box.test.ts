import { expect, it } from 'vitest';
import { createKeyRing } from './key-ring.ts';
import { createSecretBox, deriveKey } from './secret-box.ts';

const master = Buffer.alloc(32, 7);
const boxOf = (secret: Buffer) => createSecretBox(createKeyRing(() => [secret]));
const box = boxOf(master);
const SECRET = '{"password":"pa\u0000ss wörd 😀"}';

it('opens sealed text in its own context only', () => {
  const sealed = box.seal(SECRET, 'database 1');
  expect(sealed).not.toContain('pass');
  expect(box.open(sealed, 'database 1')).toBe(SECRET);
  expect(box.open(sealed, 'database 2')).toBeNull();
  expect(boxOf(Buffer.alloc(32, 8)).open(sealed, 'database 1')).toBeNull();
});

it('seals the same text differently each time', () => {
  expect(box.seal(SECRET, 'row')).not.toBe(box.seal(SECRET, 'row'));
});

it('rejects sealed text with a single bit changed', () => {
  const bytes = Buffer.from(box.seal(SECRET, 'row').slice(3), 'base64url');
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    expect(box.open(`v1.${changed.toString('base64url')}`, 'row'), `byte ${at}`).toBeNull();
  }
});

it('rejects truncated text, so that a shorter tag cannot be guessed', () => {
  const bytes = Buffer.from(box.seal('', 'row').slice(3), 'base64url');
  expect(box.open(`v1.${bytes.toString('base64url')}`, 'row')).toBe('');
  for (let length = 0; length < bytes.length; length++) {
    expect(box.open(`v1.${bytes.subarray(0, length).toString('base64url')}`, 'row'), `${length} bytes`).toBeNull();
  }
});

it.each(['', 'v1.', 'v2.abc', 'plain text'])('rejects %j', (text) => {
  expect(box.open(text, 'row')).toBeNull();
});

it('derives a separate key for each purpose, stable across restarts', () => {
  expect(deriveKey(master, 'continuations')).toHaveLength(32);
  expect(deriveKey(master, 'continuations')).toEqual(deriveKey(Buffer.alloc(32, 7), 'continuations'));
  expect(deriveKey(master, 'continuations')).not.toEqual(deriveKey(master, 'database credentials'));
});
