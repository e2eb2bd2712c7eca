import { lookup as lookupAddress } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import { ConnectorError } from '../connector.ts';

/** Link-local addresses, and those at which clouds give credentials to every caller on the machine. */
const refusedRanges = [
  ...['169.254.0.0/16', 'fe80::/10'],
  ...['100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32', 'fd00:ec2::254/128', 'fd20:ce::254/128'],
  ...['64:ff9b::a9fe:0/112', '::a9fe:0/112', '2002:a9fe::/32'], // 169.254.0.0/16 within IPv6; BlockList knows ::ffff:0:0/96
];

const refused = new BlockList();
for (const range of refusedRanges) {
  const [address = '', bits] = range.split('/');
  refused.addSubnet(address, Number(bits), isIPv4(address) ? 'ipv4' : 'ipv6');
}

export const isRefusedAddress = (address: string): boolean =>
  refused.check(address.replace(/%.*/s, ''), isIPv4(address) ? 'ipv4' : 'ipv6');

const refusal = (host: string): string =>
  `${host} is a link-local address or the metadata service of a cloud, which databases are not connected to. Check the host.`;

/** Throws `unavailable` if the host is such an address or leads to one. Names that cannot be resolved are left to the driver. */
export async function checkHost(host: string): Promise<void> {
  const found = await promisify(lookupAddress)(host, { all: true }).catch(() => []);
  if (found.some(({ address }) => isRefusedAddress(address))) throw new ConnectorError('unavailable', refusal(host));
}

/** Resolves names to the addresses that are not refused. A socket connects to what this returned: nothing is resolved twice. */
const lookup: LookupFunction = (host, options, callback) => {
  lookupAddress(host, { ...options, all: true }, (error, found) => {
    const allowed = (error === null ? found : []).filter(({ address }) => !isRefusedAddress(address));
    const [first] = allowed;
    if (error !== null) callback(error, '');
    else if (first === undefined) callback(new ConnectorError('unavailable', refusal(host)), '');
    else if (options.all === true) callback(null, allowed);
    else callback(null, first.address, first.family);
  });
};

/** An agent whose connections do not lead to refused addresses, by name or by number. */
export function createAgent(tls: false | https.AgentOptions, options: https.AgentOptions): http.Agent {
  const guarded = { ...options, lookup };
  const agent = tls === false ? new http.Agent(guarded) : new https.Agent({ ...guarded, ...tls });
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (request, callback) => {
    const host = request.host ?? '';
    if (isIP(host) === 0 || !isRefusedAddress(host)) return connect(request, callback);
    process.nextTick(() => Reflect.apply(callback ?? (() => {}), undefined, [new ConnectorError('unavailable', refusal(host))]));
    return undefined;
  };
  return agent;
}
