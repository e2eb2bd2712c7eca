import http from 'node:http';
import https from 'node:https';
import { isIP, isIPv4 } from 'node:net';
import { createGuardedLookup, createRangeCheck } from '../core/address-ranges.ts';

const MAX_BYTES = 64 << 10;
const MAX_MS = 5_000;

export type FetchDocument = (address: string) => Promise<unknown>;

/**
 * Reads a JSON document at an untrusted address: over https, from public addresses only, without following redirects,
 * limited in size and time. `privateHosts` (`host` or `host:port`) may also have private addresses and use http. Throws if it fails.
 */
export function createFetchDocument(privateHosts: readonly string[]): FetchDocument {
  return async (address) => {
    const problem = addressProblem(address, privateHosts);
    if (problem !== null) throw new Error(problem);
    const url = new URL(address);
    const signal = AbortSignal.timeout(MAX_MS);
    const request = (url.protocol === 'https:' ? https : http).get(url, {
      agent: false, // no connection is shared
      signal,
      headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'sluice' },
      ...(isNamed(url, privateHosts) ? {} : { lookup: publicLookup }),
    });
    try {
      const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
      request.on('response', resolve).on('error', reject);
      const response = await promise;
      if (response.statusCode !== 200) throw new Error(`${url.host} responded with status ${response.statusCode}`);
      return JSON.parse(await readText(response));
    } finally {
      request.destroy();
    }
  };
}

/** What is wrong with the form of an address, before a name is resolved. */
export function addressProblem(address: string, privateHosts: readonly string[]): string | null {
  if (!URL.canParse(address)) return 'An https address is expected.';
  const url = new URL(address);
  const isPrivate = isNamed(url, privateHosts);
  if (url.username !== '' || url.password !== '') return 'An address without user name and password is expected.';
  if (url.protocol !== 'https:' && !(isPrivate && url.protocol === 'http:')) return 'An https address is expected.';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 || isPrivate || isPublic(host) ? null : 'A public address is expected.';
}

const isNamed = ({ host, hostname }: URL, hosts: readonly string[]): boolean =>
  hosts.some((each) => each.toLowerCase() === host || each.toLowerCase() === hostname);

async function readText(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`The document has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const reserved4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24' +
  ' 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3';
const reserved6 = '2001::/23 2001:db8::/32 2002::/16 3fff::/20';
const isReserved = createRangeCheck(`${reserved4} ${reserved6}`.split(' '));
const isGlobal6 = createRangeCheck(['2000::/3']);

export const isPublic = (address: string): boolean => (isIPv4(address) || isGlobal6(address)) && !isReserved(address);

const publicLookup = createGuardedLookup(isPublic, (host) => new Error(`${host} has no public address`));
