import http from 'node:http';
import { expect, test } from 'vitest';
import { createAgent, isRefusedAddress } from './allowed-address.ts';

test.each(['169.254.169.254', 'fe80::1%eth0', '::ffff:169.254.1.1', '::ffff:a9fe:1', '64:ff9b::a9fe:a9fe', 'fd00:ec2::254'])(
  'refuses %s',
  (address) => expect(isRefusedAddress(address)).toBe(true),
);

test.each(['127.0.0.1', '::1', '0.0.0.0', '10.0.0.1', '192.168.1.1', '::ffff:127.0.0.1', 'fd00::1', '203.0.113.7'])(
  'allows %s',
  (address) => expect(isRefusedAddress(address)).toBe(false),
);

test.each(['169.254.169.254', '::ffff:a9fe:a9fe', '2852039166', '0xa9fea9fe'])(
  'an agent does not connect to %s, as a number or after resolving it',
  async (host) => {
    const request = http.get({ agent: createAgent(false, { keepAlive: true }), host, port: 80 });
    const error = await new Promise((resolve) => request.on('error', resolve).on('response', resolve));
    expect(error).toMatchObject({ message: expect.stringContaining('link-local') });
  },
);
