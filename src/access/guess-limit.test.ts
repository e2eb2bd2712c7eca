import { beforeEach, expect, it } from 'vitest';
import { createGuessLimit, type GuessLimit } from './guess-limit.ts';

const NOW = 1_000_000;
let limit: GuessLimit;
beforeEach(() => {
  limit = createGuessLimit();
});

const fail = (times: number, name: string, address: string, now = NOW): void => {
  for (let time = 0; time < times; time++) limit.recordAttempt(name, address, now);
};

it('requires a wait after five failures for an account from one address, ignoring the case of the name', () => {
  fail(4, 'alice', '10.0.0.1');
  expect(limit.waitSeconds('alice', '10.0.0.1', NOW)).toBe(0);
  fail(1, 'ALICE', '10.0.0.1');
  expect(limit.waitSeconds('Alice', '10.0.0.1', NOW)).toBe(60);
});

it('does not lock an account because of failures from another address', () => {
  fail(20, 'alice', '10.0.0.1');
  expect(limit.waitSeconds('alice', '10.0.0.2', NOW)).toBe(0);
  expect(limit.waitSeconds('bob', '10.0.0.1', NOW)).toBe(0);
});

it('requires a wait after fifty failures from one address, for any names', () => {
  for (let user = 0; user < 49; user++) fail(1, `user${user}`, '10.0.0.1');
  expect(limit.waitSeconds('another', '10.0.0.1', NOW)).toBe(0);
  fail(1, 'user49', '10.0.0.1');
  expect(limit.waitSeconds('another', '10.0.0.1', NOW)).toBe(60);
});

it('allows one attempt for each failure that leaves the window', () => {
  for (let second = 0; second < 5; second++) fail(1, 'alice', '10.0.0.1', NOW + second * 1000);
  expect(limit.waitSeconds('alice', '10.0.0.1', NOW + 4000)).toBe(56);
  expect(limit.waitSeconds('alice', '10.0.0.1', NOW + 59_999)).toBe(1);
  expect(limit.waitSeconds('alice', '10.0.0.1', NOW + 60_000)).toBe(0);
  fail(1, 'alice', '10.0.0.1', NOW + 60_000);
  expect(limit.waitSeconds('alice', '10.0.0.1', NOW + 60_000)).toBe(1);
});

it('clears the failures of an account on success, and removes the attempt from its address', () => {
  fail(49, 'others', '10.0.0.1');
  fail(1, 'alice', '10.0.0.1');
  expect(limit.waitSeconds('alice', '10.0.0.1', NOW)).toBe(60);
  limit.recordSuccess('Alice', '10.0.0.1');
  expect(limit.waitSeconds('alice', '10.0.0.1', NOW)).toBe(0);
  fail(1, 'alice', '10.0.0.1');
  expect(limit.waitSeconds('alice', '10.0.0.1', NOW)).toBe(60);
});

it('does not lock for longer than a minute if the clock is set back', () => {
  fail(5, 'alice', '10.0.0.1', NOW);
  expect(limit.waitSeconds('alice', '10.0.0.1', NOW - 3_600_000)).toBe(0);
});

it('ignores a success without a prior attempt', () => {
  limit.recordSuccess('alice', '10.0.0.1');
  expect(limit.waitSeconds('alice', '10.0.0.1', NOW)).toBe(0);
});

it('delays checks increasingly with failures from all addresses, except for addresses that signed in before', () => {
  limit.recordSuccess('alice', '10.9.9.9');
  for (let n = 0; n < 10; n++) fail(1, 'alice', `10.0.1.${n}`);
  expect(limit.delayMs('alice', '10.0.2.1', NOW, 0)).toBe(0);
  fail(2, 'Alice', '10.0.1.100');
  expect(limit.delayMs('ALICE', '10.0.2.1', NOW, 0)).toBe(500);
  for (let n = 0; n < 100; n++) fail(1, 'alice', `10.0.3.${n}`);
  expect(limit.delayMs('alice', '10.0.2.1', NOW, 0)).toBe(5000);
  expect(limit.delayMs('alice', '10.9.9.9', NOW, 0)).toBe(0);
  expect(limit.delayMs('bob', '10.0.2.1', NOW, 0)).toBe(0);
  expect(limit.delayMs('bob', '10.0.2.1', NOW, 14), 'at other processes').toBe(1000);
  expect(limit.delayMs('alice', '10.0.2.1', NOW + 600_000, 0)).toBe(0);
});

it('counts all addresses of one IPv6 network together', () => {
  for (let n = 0; n < 5; n++) fail(1, 'alice', `2001:db8:1:2::${n}`);
  expect(limit.waitSeconds('alice', '2001:db8:1:2:ffff::1', NOW)).toBe(60);
  expect(limit.waitSeconds('alice', '2001:db8:1:3::1', NOW)).toBe(0);
});
