import { expect, it } from 'vitest';
import { failed, succeeded } from '../core/errors.ts';
import { createCredentialMemory } from './credential-memory.ts';

const alice = { id: 'a1', credentialVersion: 3 };

it('remembers a verified password for a minute', () => {
  const memory = createCredentialMemory();
  expect(memory.knows(alice, 'secret', 0)).toBe(false);
  memory.remember(alice, 'secret', 0);
  expect(memory.knows(alice, 'secret', 59_999)).toBe(true);
  expect(memory.knows(alice, 'secret', 60_000)).toBe(false);
});

it('remembers it for this user and credential version only', () => {
  const memory = createCredentialMemory();
  memory.remember(alice, 'secret', 0);
  expect(memory.knows(alice, 'Secret', 1)).toBe(false);
  expect(memory.knows({ ...alice, credentialVersion: 4 }, 'secret', 1)).toBe(false);
  expect(memory.knows({ ...alice, id: 'a2' }, 'secret', 1)).toBe(false);
});

it('distinguishes credentials whose concatenated parts are equal', () => {
  const memory = createCredentialMemory();
  memory.remember({ id: 'a', credentialVersion: 1 }, '2\0x', 0);
  expect(memory.knows({ id: 'a', credentialVersion: 12 }, '\0x', 1)).toBe(false);
  expect(memory.knows({ id: 'a\x001', credentialVersion: 2 }, 'x', 1)).toBe(false);
});

it('evicts the oldest entries past its capacity', () => {
  const memory = createCredentialMemory();
  memory.remember(alice, 'first', 0);
  memory.remember(alice, 'second', 0);
  for (let user = 0; user < 9_999; user++) memory.remember({ id: `u${user}`, credentialVersion: 1 }, 'x', 0);
  expect(memory.knows(alice, 'first', 1)).toBe(false);
  expect(memory.knows(alice, 'second', 1)).toBe(true);
});

const shown = { username: 'alice', password: 'secret', address: '10.0.0.1', credentialVersion: 3 };

it('verifies once for concurrent calls with the same credential', async () => {
  const memory = createCredentialMemory();
  const gate = Promise.withResolvers<void>();
  let times = 0;
  const verify = async () => {
    times++;
    await gate.promise;
    return succeeded(null);
  };
  const same = [memory.verifyOnce(shown, verify), memory.verifyOnce({ ...shown }, verify)];
  const others = [{ password: 'Secret' }, { address: '10.0.0.2' }, { credentialVersion: 4 }, { username: 'bob' }];
  const different = others.map((other) => memory.verifyOnce({ ...shown, ...other }, verify));
  expect(times).toBe(5);
  gate.resolve();
  for (const result of await Promise.all([...same, ...different])) expect(result.ok).toBe(true);
  await memory.verifyOnce(shown, verify);
  expect(times).toBe(6);
});

it('does not remember a verification that was rejected or threw', async () => {
  const memory = createCredentialMemory();
  expect(await memory.verifyOnce(shown, async () => failed({ kind: 'CredentialInvalid' }))).toMatchObject({ ok: false });
  await expect(memory.verifyOnce(shown, () => Promise.reject(new Error('out of memory')))).rejects.toThrow('out of memory');
  expect(await memory.verifyOnce(shown, async () => succeeded(null))).toEqual(succeeded(null));
});
