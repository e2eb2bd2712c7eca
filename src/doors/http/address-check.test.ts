import { expect, it } from 'vitest';
import { addressCheck, createProxyCheck } from './address-check.ts';

it.each([
  ['10.1.2.3', true],
  ['::ffff:10.1.2.3', true], // as reported by a dual-stack socket
  ['::FFFF:10.1.2.3', true],
  ['10.2.0.1', false],
  ['192.0.2.7', true],
  ['192.0.2.8', false],
  ['2001:db8::1', true],
  ['2001:db9::1', false],
  ['fe80::1%eth0', true],
  ['', false],
  ['nonsense', false],
  ["10.1.2.3'; --", false],
])('%s is allowed: %s', (address, allowed) => {
  expect(addressCheck(['10.1.0.0/16', '192.0.2.7', '2001:db8::/32', 'fe80::/10'])(address)).toBe(allowed);
});

it.each([
  ['loopback', '127.0.0.1', '::1', '10.0.0.1'],
  ['linklocal', '169.254.9.1', 'fe80::1%eth0', '192.168.0.1'],
  ['uniquelocal', '192.168.0.1', 'fd00::1', '127.0.0.1'],
])('%s contains %s and %s, but not %s', (name, first, second, other) => {
  expect([first, second, other].map(addressCheck([name]))).toEqual([true, true, false]);
});

it('answers for a proxy what it answered before, and for any number of addresses', () => {
  const isProxy = createProxyCheck(['10.0.0.0/8']);
  const addresses = Array.from({ length: 3000 }, (_, number) => `${number % 2 === 0 ? 10 : 11}.0.${number >> 8}.${number & 255}`);
  for (let round = 0; round < 2; round++)
    expect(addresses.filter(isProxy)).toEqual(addresses.filter((each) => each.startsWith('10.')));
  expect(['', `10.0.0.1${' '.repeat(20_000)}`, '10.0.0.1'].map(isProxy)).toEqual([false, false, true]);
});
