import { lookup } from 'node:dns';
import { BlockList, isIPv4, isIPv6, type LookupFunction } from 'node:net';

/** Whether an address is in one of the ranges: single addresses or CIDR. */
export function createRangeCheck(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (sent) => {
    const address = sent.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%[^]*/, ''); // dual-stack sockets report IPv4 addresses like this
    if (isIPv4(address)) return list.check(address, 'ipv4');
    return isIPv6(address) && list.check(address, 'ipv6');
  };
}

/** Resolves names to allowed addresses only. The socket connects to what this returned: a name that is resolved again cannot lead elsewhere. */
export const createGuardedLookup =
  (isAllowed: (address: string) => boolean, refusalOf: (host: string) => Error): LookupFunction =>
  (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      const allowed = (error === null ? found : []).filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (error !== null) callback(error, '');
      else if (first === undefined) callback(refusalOf(host), '');
      else if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
