import { type BlockList, isIPv4, isIPv6 } from 'node:net';
import { addressRanges, refusedRanges } from '../allowed-address.ts';

type Zone = 'loopback' | 'private' | 'public' | 'never';

/** From near to far. Services that hand out credentials to every caller on the same machine are in no zone. */
const zones: readonly (readonly [Zone, BlockList])[] = [
  ['loopback', addressRanges(['127.0.0.0/8', '::1/128'])],
  ['never', addressRanges(['0.0.0.0/8', '224.0.0.0/3', '::/128', 'ff00::/8', ...refusedRanges])],
  [
    'private',
    addressRanges([
      '10.0.0.0/8',
      '172.16.0.0/12',
      '192.168.0.0/16',
      '100.64.0.0/10',
      '198.18.0.0/15',
      'fc00::/7',
      '64:ff9b::/96',
    ]),
  ],
];

const reached: Readonly<Record<Zone, readonly Zone[]>> = {
  loopback: ['loopback', 'private', 'public'],
  private: ['private', 'public'],
  public: ['public'],
  never: [],
};

/**
 * Whether a coordinator at one address may name another one for its results. It may not lead us to a network that it is not in
 * itself: one on the internet not into the intranet, one in the intranet not to services of our own machine.
 */
export const mayName = (coordinator: string, address: string): boolean => reached[zoneOf(coordinator)].includes(zoneOf(address));

function zoneOf(text: string): Zone {
  const address = text.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%[^]*/, '');
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  if (family === 'ipv6' && !isIPv6(address)) return 'never';
  return zones.find(([, list]) => list.check(address, family))?.[0] ?? 'public';
}
