import { expect, test } from 'vitest';
import { mayName } from './segment-address.ts';

const internet = '52.219.1.1';
const intranet = '10.1.2.3';

test.each([
  [internet, internet, true],
  [internet, '2600:1f18::1', true],
  [internet, intranet, false],
  [internet, '127.0.0.1', false],
  [internet, '::ffff:192.168.0.1', false],
  [internet, 'fd12::1', false],
  [intranet, internet, true],
  [intranet, '192.168.7.7', true],
  ['fd12::1', '172.16.0.1', true],
  [intranet, '127.0.0.1', false],
  [intranet, '::1', false],
  ['127.0.0.1', '::1', true],
  ['::ffff:127.0.0.1', intranet, true],
  ['127.0.0.1', internet, true],
  ['', internet, false],
])('a coordinator at %j and a segment at %s: %j', (coordinator, address, allowed) => {
  expect(mayName(coordinator, address)).toBe(allowed);
});

test.each([
  '169.254.169.254',
  '::ffff:169.254.169.254',
  'fe80::1%eth0',
  'fd00:ec2::254',
  '100.100.100.200',
  '0.0.0.0',
  '::',
  '239.1.1.1',
  'host',
])('no coordinator may name %s', (address) => {
  for (const coordinator of [internet, intranet, '127.0.0.1', '169.254.169.254'])
    expect(mayName(coordinator, address)).toBe(false);
});
