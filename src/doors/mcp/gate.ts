import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Failure } from '../../errors.ts';
import type { Origins } from '../http/origins.ts';

/** Restricts access to the gateway: Host and Origin against DNS rebinding, and addresses if ranges are configured. */
export type Gate = (request: FastifyRequest) => Failure | null;

export function createGate(origins: Origins, ranges: readonly string[]): Gate {
  const isAllowed = addressCheck(ranges);
  return (request) => {
    if (!isAllowed(request.ip ?? '')) return { kind: 'AddressNotAllowed' };
    return origins.allows(request) ? null : { kind: 'OriginNotAllowed' };
  };
}

/** Ranges are CIDR or single addresses; no ranges allow every address. */
export function addressCheck(ranges: readonly string[]): (address: string) => boolean {
  if (ranges.length === 0) return () => true;
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (sent) => {
    const address = sent.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, ''); // dual-stack sockets report IPv4 addresses like this
    if (isIPv4(address)) return list.check(address, 'ipv4');
    return isIPv6(address) && list.check(address, 'ipv6');
  };
}
