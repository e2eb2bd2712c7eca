import { describe, expect, it } from 'vitest';
import { readInjected } from '../../../test/support/http/request-of.ts';
import { readConfig } from '../../config/config.ts';
import { createOrigins } from './origins.ts';

const config = readConfig({
  SLUICE_ALLOWED_ORIGINS: 'https://app.example.com,http://10.0.0.5:3000,vscode-file://vscode-app',
  SLUICE_ALLOWED_HOSTS: 'Proxy.example.com,gate.example.com:8443',
});
const origins = createOrigins(config, 'https://sluice.example.com', () => 8080);
const allows = (host: string, origin?: string, from = origins) =>
  readInjected((request) => from.refusalOf(request) === null, { headers: { host, ...(origin === undefined ? {} : { origin }) } });

describe('an Origin', () => {
  it.each([
    'https://sluice.example.com',
    'http://127.0.0.1:8080',
    'http://localhost:8080',
    'http://[::1]:8080',
    'https://localhost:8080',
    'https://app.example.com',
    'http://10.0.0.5:3000',
    'vscode-file://vscode-app',
  ])('%s is allowed', (origin) => {
    expect(origins.isKnown(origin)).toBe(true);
  });

  it.each([
    'null',
    '',
    'http://sluice.example.com',
    'https://sluice.example.com:8443',
    'https://sluice.example.com.evil.example',
    'https://evil.example/https://sluice.example.com',
    'http://localhost',
    'http://localhost:8081',
    'http://127.0.0.2:8080',
    'http://app.example.com',
    'https://app.example.com, https://evil.example',
    'http://10.0.0.5:30000',
  ])('%j is not allowed', async (origin) => {
    expect(origins.isKnown(origin)).toBe(false);
    expect(await allows('localhost:8080', origin)).toBe(false);
  });

  it('on the default port of its scheme has no port', () => {
    expect(createOrigins(config, 'http://127.0.0.1:80', () => 80).isKnown('http://localhost')).toBe(true);
    expect(createOrigins(config, 'https://127.0.0.1:443', () => 443).isKnown('https://[::1]')).toBe(true);
  });
});

describe('a Host', () => {
  it.each([
    'sluice.example.com',
    'SLUICE.example.com',
    '127.0.0.1:8080',
    'localhost:8080',
    '[::1]:8080',
    'app.example.com',
    '10.0.0.5:3000',
    'proxy.example.com',
    'proxy.example.com:9999',
    'gate.example.com:8443',
  ])('%s is allowed', async (host) => {
    expect(await allows(host)).toBe(true);
    expect(await allows(host, 'https://app.example.com')).toBe(true);
  });

  it.each([
    'evil.example',
    'localhost:8081',
    'localhost',
    '[::1]',
    'gate.example.com',
    'gate.example.com:8080',
    'sluice.example.com:8443',
    'evil.example:8080',
    'sluice.example.com.evil.example',
  ])('%s is not allowed, whatever the Origin', async (host) => {
    expect(await allows(host)).toBe(false);
    expect(await allows(host, 'https://app.example.com')).toBe(false);
  });

  it('that is configured as part of the base URL may lack the port', async () => {
    const SLUICE_BASE_URL = 'https://Sluice.example.com:8443/sluice';
    const behind = createOrigins(readConfig({ SLUICE_BASE_URL }), SLUICE_BASE_URL, () => 8080);
    const hosts = ['sluice.example.com:8443', 'sluice.example.com', 'sluice.example.com:443', 'evil.example'];
    expect(await Promise.all(hosts.map((host) => allows(host, undefined, behind)))).toEqual([true, true, false, false]);
  });

  it('on port 80 has no port', async () => {
    const plain = createOrigins(config, 'http://127.0.0.1:80', () => 80);
    for (const host of ['localhost', '127.0.0.1', '[::1]']) expect(await allows(host, 'http://localhost', plain)).toBe(true);
  });
});
