import { LRUCache } from 'lru-cache';
import { createRangeCheck } from '../../core/address-ranges.ts';

const named: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Whether an address is in one of the ranges: single addresses, CIDR, `loopback`, `linklocal` or `uniquelocal`. */
export const addressCheck = (ranges: readonly string[]): ((address: string) => boolean) =>
  createRangeCheck(ranges.flatMap((each) => named[each] ?? [each]));

/** The same with a memory, for the few proxies that every request comes through: Fastify asks several times per request. */
export function createProxyCheck(ranges: readonly string[]): (address: string) => boolean {
  const isProxy = addressCheck(ranges);
  // callers choose addresses that proxies forward, of any length
  const known = new LRUCache<string, boolean>({
    maxSize: 16_384,
    sizeCalculation: (_, { length }) => 1 + length,
    memoMethod: isProxy,
  });
  return (address) => known.memo(address);
}
