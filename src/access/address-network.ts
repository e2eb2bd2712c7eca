/**
 * What counts as one caller: an IPv4 address, or the /64 of an IPv6 address, since the holder of one address there has all of them. Text that is no
 * address, which a proxy may forward, counts as it is.
 */
export function networkOf(address: string): string {
  const bare = address.split('%')[0] ?? '';
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  if (!/^[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*$/i.test(bare)) return address;
  const [before = '', after] = bare.split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  // an IPv4 part at the end takes the place of two groups
  const given = head.length + tail.length + (bare.includes('.') ? 1 : 0);
  const groups = after === undefined ? head : [...head, ...Array<string>(Math.max(0, 8 - given)).fill('0'), ...tail];
  const prefix = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${prefix.join(':')}::/64`;
}
