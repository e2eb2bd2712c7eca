/**
 * The unit that limits are counted by: an IPv4 address, or the /64 network of an IPv6 address, because one host usually owns the
 * whole /64. Text that is not an address (a proxy may forward any) is returned unchanged.
 */
export function networkOf(address: string): string {
  const bare = address.split('%')[0] ?? '';
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  if (!/^[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*$/i.test(bare)) return address;
  const [before = '', after] = bare.split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  // a trailing IPv4 part stands for two groups
  const groupCount = head.length + tail.length + (bare.includes('.') ? 1 : 0);
  const groups = after === undefined ? head : [...head, ...Array<string>(Math.max(0, 8 - groupCount)).fill('0'), ...tail];
  const prefix = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${prefix.join(':')}::/64`;
}
