import { hash as argonHash } from '@node-rs/argon2';
import { describe, expect, it } from 'vitest';
import { createPasswords, passwordProblem } from './password.ts';

const passwords = createPasswords(2);

describe('a hash', () => {
  it('is a salted argon2id hash that matches its password only', async () => {
    const [one, two] = await Promise.all([passwords.hash('correct horse battery'), passwords.hash('correct horse battery')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(two);
    expect(await passwords.verify('correct horse battery', one)).toBe(true);
    expect(await passwords.verify('correct horse batterY', one)).toBe(false);
    expect(await passwords.verify('', one)).toBe(false);
  });

  it('matches the same characters in another Unicode normal form', async () => {
    const hash = await passwords.hash('zw\u00f6lf B\u00e4ume im Wald');
    expect(await passwords.verify('zwo\u0308lf Ba\u0308ume im Wald', hash)).toBe(true);
    expect(await passwords.verify('zwolf Baume im Wald', hash)).toBe(false);
  });

  it('of an unknown user matches no password and takes as long to check', async () => {
    const hash = await passwords.hash('correct horse battery');
    expect(await passwords.verify('a password that nobody has', null)).toBe(false);
    const known = await processorTimeOf(() => passwords.verify('wrong', hash));
    const unknown = await processorTimeOf(() => passwords.verify('wrong', null));
    // without hashing it would take a thousandth of the time
    expect(unknown).toBeGreaterThan(known / 10);
    expect(unknown).toBeLessThan(known * 10);
  });
});

describe('the queue', () => {
  it('runs two at a time and finishes all, even after one throws', async () => {
    const hash = await passwords.hash('correct horse battery');
    const broken = passwords.verify('x', 'this is no hash');
    const rest = Array.from({ length: 6 }, () => passwords.verify('correct horse battery', hash));
    await expect(broken).rejects.toThrow();
    expect(await Promise.all(rest)).toEqual(Array(6).fill(true));
    expect(passwords.isBusy()).toBe(false);
  });

  it('reports that it is busy at its maximum length', async () => {
    const one = createPasswords(1);
    const quick = await argonHash('correct horse battery', { memoryCost: 8, timeCost: 1, parallelism: 1 });
    for (let storm = 0; storm < 2; storm++) {
      const tries: Promise<boolean>[] = [];
      while (!one.isBusy()) tries.push(one.verify('wrong', quick));
      expect(tries).toHaveLength(65); // one running and 64 queued
      await Promise.all(tries);
      expect(one.isBusy()).toBe(false);
    }
  });
});

describe('a new password', () => {
  it.each([
    ['twelve one a', null],
    ['eleven char', 'at least 12'],
    ['😀🙂😉🙃😇🤓😎🤠🥳😏🤩', 'at least 12'], // 11 characters, 22 UTF-16 code units
    [`ab1-${'x'.repeat(1021)}`, 'at most 1024'],
  ])('%j', (password, problem) => {
    const found = passwordProblem(password);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toContain(problem);
  });
});

/** Of all threads, because the hash is computed in another one. */
async function processorTimeOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
