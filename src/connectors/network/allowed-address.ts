import { lookup as lookupAddress } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import { createGuardedLookup, createRangeCheck } from '../../core/address-ranges.ts';
import { ConnectorError } from '../connector.ts';

/** Link-local addresses, and those at which clouds give credentials to every caller on the machine. */
export const isRefusedAddress = createRangeCheck([
  ...['169.254.0.0/16', 'fe80::/10'],
  ...['100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32', 'fd00:ec2::254/128', 'fd20:ce::254/128'],
  ...['64:ff9b::a9fe:0/112', '::a9fe:0/112', '2002:a9fe::/32'], // 169.254.0.0/16 within IPv6; BlockList knows ::ffff:0:0/96
]);

const refusalOf = (host: string): ConnectorError =>
  new ConnectorError(
    'unavailable',
    `${host} is a link-local address or the metadata service of a cloud. Connections to these are not allowed: check the host.`,
  );

/** Throws `unavailable` if the host is such an address or leads to one. Names that cannot be resolved are left to the driver. */
export async function checkHost(host: string): Promise<void> {
  const found = await promisify(lookupAddress)(host, { all: true }).catch(() => []);
  if (found.some(({ address }) => isRefusedAddress(address))) throw refusalOf(host);
}

const lookup = createGuardedLookup((address) => !isRefusedAddress(address), refusalOf);

/** An agent whose connections do not lead to refused addresses, by name or by number. */
export function createAgent(tls: false | https.AgentOptions, options: https.AgentOptions): http.Agent {
  const guarded = { ...options, lookup };
  const agent = tls === false ? new http.Agent(guarded) : new https.Agent({ ...guarded, ...tls });
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (request, callback) => {
    const host = request.host ?? '';
    if (isIP(host) === 0 || !isRefusedAddress(host)) return connect(request, callback);
    process.nextTick(() => Reflect.apply(callback ?? (() => {}), undefined, [refusalOf(host)]));
    return undefined;
  };
  return agent;
}
