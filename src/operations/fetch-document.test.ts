import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFetchDocument, isPublic } from './fetch-document.ts';

test.each([
  ...[
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
  ],
  ...[
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:10.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::a00:1',
    '2002:a00:1::',
    '2001:db8::1',
    'ff02::1',
  ],
])('%s is not public', (address) => expect(isPublic(address)).toBe(false));

test.each(['8.8.8.8', '93.184.216.34', '2606:4700::1111'])('%s is public', (address) => expect(isPublic(address)).toBe(true));

let server: Server;
let host: string;
let requests = 0;
beforeAll(async () => {
  server = createServer((request, response) => {
    requests++;
    if (request.url === '/redirect') return response.writeHead(302, { location: '/document' }).end();
    if (request.url === '/large') return response.end(`["${'x'.repeat(70_000)}"]`);
    if (request.url === '/text') return response.end('not JSON');
    return response.end('{"keys": []}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port }: Pick<AddressInfo, 'port'> = Object(server.address());
  host = `127.0.0.1:${port}`;
});
afterAll(() => server.close());

test('reads documents of named hosts, without redirects, up to 64 KiB', async () => {
  const fetchDocument = createFetchDocument([host]);
  expect(await fetchDocument(`http://${host}/document`)).toEqual({ keys: [] });
  await expect(fetchDocument(`http://${host}/redirect`)).rejects.toThrow('status 302');
  await expect(fetchDocument(`http://${host}/large`)).rejects.toThrow('more than 65536 bytes');
  await expect(fetchDocument(`http://${host}/text`)).rejects.toThrow('JSON');
});

test('does not connect to private addresses, by number, by name, or without https', async () => {
  const before = requests;
  const fetchDocument = createFetchDocument(['intranet.example']);
  const { port } = new URL(`http://${host}`);
  for (const address of [
    `http://${host}/`,
    `https://${host}/`,
    `https://[::ffff:127.0.0.1]:${port}/`,
    `https://2130706433:${port}/`,
    `https://localhost:${port}/`,
    `https://me:secret@example.org/`,
    'file:///etc/passwd',
    'http://example.org/',
  ]) {
    await expect(fetchDocument(address), address).rejects.toThrow(/https address|public address|without user name/);
  }
  expect(requests).toBe(before);
});
