import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigError, parseSetting, readConfig, settings } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'config-'));
const file = join(folder, 'sluice.yaml');
afterAll(() => rmSync(folder, { recursive: true }));

const fromYaml = (yaml: string, environment: Record<string, string> = {}) => {
  writeFileSync(file, yaml);
  return readConfig({ SLUICE_CONFIG: file, ...environment });
};
const problem = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('it was accepted');
};

describe('the table', () => {
  it('has a unique key, environment variable and description for each setting', () => {
    const all = Object.values(settings);
    expect(new Set(all.map((each) => each.key)).size).toBe(all.length);
    expect(new Set(all.map((each) => each.env)).size).toBe(all.length);
    // the standard variable of OpenTelemetry
    const ours = /^(SLUICE_[A-Z0-9_]+|OTEL_EXPORTER_OTLP_ENDPOINT)$/;
    for (const { env, meaning } of all) expect([env, meaning]).toEqual([expect.stringMatching(ours), expect.stringMatching(/./)]);
  });

  it('has defaults that are valid', () => {
    for (const each of Object.values(settings)) {
      expect(each.schema.safeParse(each.fallback), each.env).toEqual({ success: true, data: each.fallback });
    }
  });

  it('has the defaults of the contract', () => {
    expect(readConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      dataFolder: './data',
      fileFolders: ['./files'],
      edition: 'extended',
      mcp: true,
      demo: true,
      rowsDefault: 1000,
      rowsMax: 1000,
      queryTimeoutSeconds: 60,
      frameAncestors: '*',
      workers: 1,
      ratePerKey: 0,
      logLevel: 'info',
    });
  });
});

describe('the environment', () => {
  it('wins over the file; empty variables count as absent', () => {
    expect(fromYaml('server: {port: 1234}', { SLUICE_PORT: '4321' }).port).toBe(4321);
    expect(fromYaml('server: {port: 1234}', { SLUICE_PORT: '' }).port).toBe(1234);
    expect(readConfig({ SLUICE_CONFIG: '', SLUICE_BASE_URL: '', SLUICE_DEMO: '' })).toMatchObject({ baseUrl: null, demo: true });
  });

  it('rejects unknown variables with the prefix SLUICE_', () => {
    expect(problem(() => readConfig({ SLUICE_PROT: '1' }))).toBe('unknown setting SLUICE_PROT in the environment');
    expect(readConfig({ PATH: '/bin', SLUICELIKE: 'x' }).port).toBe(8080);
    expect(readConfig({ SLUICE_URL: 'http://127.0.0.1:8080', SLUICE_API_KEY: 'slc_x' }).port).toBe(8080);
  });

  it('says which words a setting takes beside numbers', () => {
    expect(problem(() => readConfig({ SLUICE_WORKERS: 'AUTO' }))).toBe(
      'bad value "AUTO" for SLUICE_WORKERS: expected a whole number or auto',
    );
  });

  it.each([
    ['SLUICE_PORT', 'eighty'],
    ['SLUICE_PORT', '65536'],
    ['SLUICE_PORT', '-1'],
    ['SLUICE_PORT', '80.5'],
    ['SLUICE_PORT', '9'.repeat(400)],
    ['SLUICE_QUERY_TIMEOUT', '0'],
    ['SLUICE_QUERY_TIMEOUT', '301'],
    ['SLUICE_MCP', 'maybe'],
    ['SLUICE_EDITION', 'Extended'],
    ['SLUICE_BASE_URL', 'sluice.example.com'],
    ['SLUICE_BASE_URL', 'https://example.com/sluice?a=b'],
    ['SLUICE_BASE_URL', 'https://example.com/#sluice'],
    ['SLUICE_BASE_URL', 'https://user:word@example.com/sluice'],
    ['SLUICE_BASE_URL', 'https://example.com/a//b'],
    ['SLUICE_BASE_URL', 'https://example.com/a/../b'],
    ['SLUICE_BASE_URL', 'https://example.com/.'],
    ['SLUICE_BASE_URL', 'https://example.com/two words'],
    ['SLUICE_BASE_URL', 'https://example.com/%73luice'],
    ['SLUICE_BASE_URL', 'https://example.com/sluice;Domain=evil'],
    ['SLUICE_BASE_URL', 'https://example.com/"><script>'],
    ['SLUICE_BASE_URL', 'https://example.com/größe'],
    ['SLUICE_BASE_URL', 'https:\\\\example.com\\sluice'],
    ['SLUICE_LOG_LEVEL', 'loud'],
    ['SLUICE_MCP_ALLOW', '10.0.0.0/33'],
    ['SLUICE_MCP_ALLOW', '10.0.0.0/8,localhost'],
    ['SLUICE_MCP_ALLOW', 'fe80::/129'],
    ['SLUICE_TRUSTED_PROXIES', 'proxy.example.com'],
    ['SLUICE_ALLOWED_ORIGINS', 'null'],
    ['SLUICE_ALLOWED_ORIGINS', '*'],
    ['SLUICE_ALLOWED_ORIGINS', 'app.example.com'],
    ['SLUICE_ALLOWED_ORIGINS', 'https://app.example.com/page'],
    ['SLUICE_ALLOWED_HOSTS', 'https://app.example.com'],
    ['SLUICE_ALLOWED_HOSTS', '*.example.com'],
    ['SLUICE_OAUTH_CLIENT_HOSTS', 'https://claude.ai'],
    ['SLUICE_OAUTH_CLIENT_HOSTS', 'claude.ai/'],
    ['SLUICE_OAUTH_CLIENT_HOSTS', 'claude.ai chatgpt.com'],
    ['SLUICE_OAUTH_CLIENT_HOSTS', 'claude.ai:99999'],
    ['SLUICE_OAUTH_CLIENT_HOSTS', '::1'],
    ['SLUICE_OAUTH_PRIVATE_HOSTS', 'user@intranet'],
    ['SLUICE_FRAME_ANCESTORS', "*; script-src 'unsafe-inline'"],
    ['SLUICE_FRAME_ANCESTORS', 'https://a.example\r\nX-Evil: 1'],
    ['SLUICE_NAME_PREFIX', 'a b'],
  ])('reports %s=%s in one line', (name, value) => {
    const message = problem(() => readConfig({ [name]: value }));
    expect(message).toContain(`for ${name}: `);
    expect(message).toContain(JSON.stringify(value));
    expect(message).not.toContain('\n');
  });

  it.each(['SLUICE_ADMIN_PASSWORD', 'SLUICE_METADATA_URL'])('does not quote the value of the secret %s', (name) => {
    expect(problem(() => readConfig({ [name]: 'hunter2' }))).not.toContain('hunter2');
  });

  it('accepts lists and ranges', () => {
    const config = readConfig({
      SLUICE_FILES: '/srv/a: /srv/b :',
      SLUICE_MCP_ALLOW: '10.0.0.0/8, ::1 ,2001:db8::/32',
      SLUICE_TRUSTED_PROXIES: 'loopback,192.168.0.1',
      SLUICE_ALLOWED_ORIGINS: 'https://App.Example.com:443/, http://127.0.0.1:3000,vscode-file://vscode-app',
      SLUICE_ALLOWED_HOSTS: 'my_service, App.Example.com:443',
      SLUICE_OAUTH_CLIENT_HOSTS: 'Claude.ai,münchen.example:8443 , [::1]:80,localhost',
    });
    expect(config.allowedHosts).toEqual(['my_service', 'app.example.com:443']);
    expect(config.oauthClientHosts).toEqual(['claude.ai', 'xn--mnchen-3ya.example:8443', '[::1]:80', 'localhost']);
    expect(config.fileFolders).toEqual(['/srv/a', '/srv/b']);
    expect(config.mcpAllow).toEqual(['10.0.0.0/8', '::1', '2001:db8::/32']);
    expect(config.trustedProxies).toEqual(['loopback', '192.168.0.1']);
    expect(config.allowedOrigins).toEqual(['https://app.example.com', 'http://127.0.0.1:3000', 'vscode-file://vscode-app']);
  });

  it.each([
    ['https://example.com/sluice/', 'https://example.com/sluice'],
    ['https://example.com/Data/sluice-2.0_b~//', 'https://example.com/Data/sluice-2.0_b~'],
    ['HTTPS://Example.com:443', 'https://example.com'],
    ['http://[::1]:8080/..sluice', 'http://[::1]:8080/..sluice'],
  ])('accepts the base URL %s, without its trailing slashes', (value, expected) => {
    expect(readConfig({ SLUICE_BASE_URL: value }).baseUrl).toBe(expected);
  });
});

describe('the file', () => {
  it('accepts numbers, booleans, text and lists as YAML types', () => {
    const config = fromYaml(`
server: {port: 0, host: "::1"}
mcp: {enabled: off, allow: [10.0.0.0/8, " ::1 ", ""]}
demo: false
files: [a, b]
rows: {default: 10, max: "20"}
`);
    expect(config).toMatchObject({ port: 0, host: '::1', mcp: false, demo: false, fileFolders: ['a', 'b'] });
    expect(config).toMatchObject({ mcpAllow: ['10.0.0.0/8', '::1'], rowsDefault: 10, rowsMax: 20 });
    expect(fromYaml('mcp: {enabled: on}').mcp).toBe(true);
  });

  it('may be empty, as may sections and values whose lines are commented out', () => {
    expect(fromYaml('')).toEqual(readConfig({}));
    expect(fromYaml('rows:\n  # max: 5\nserver:\n  host:\n  port: 1\n')).toMatchObject({
      rowsMax: 1000,
      host: '127.0.0.1',
      port: 1,
    });
  });

  it.each([
    ['server: {prot: 1}', 'unknown setting server.prot'],
    ['sever: {port: 1}', 'unknown setting sever'],
    ['server: {port: {number: 1}}', 'for server.port'],
    ['server: 8080', 'bad value for server'],
    ['- port', 'bad value for the settings'],
    ['server: {port: true}', 'whole number'],
    ['server: {host: ""}', 'not empty'],
    ['demo: 1', 'on or off'],
    ['files: [1]', 'for files'],
    ['data: [a, b]', 'for data'],
    ['adminPassword: 0123456789012', 'quoted'],
    ['server: {port: 1}\nserver: {port: 2}', 'cannot read'],
    ['server: {port: 1', 'cannot read'],
  ])('reports %j in one line', (yaml, expected) => {
    const message = problem(() => fromYaml(yaml));
    expect(message).toContain(expected);
    expect(message).not.toContain('\n');
  });

  it('must exist if SLUICE_CONFIG names it', () => {
    expect(problem(() => readConfig({ SLUICE_CONFIG: join(folder, 'nowhere.yaml') }))).toContain('nowhere.yaml');
  });
});

it('lowers the default Row Size to the maximum', () => {
  expect(readConfig({ SLUICE_ROWS_MAX: '50' })).toMatchObject({ rowsDefault: 50, rowsMax: 50 });
});

it('requires certificate and key together', () => {
  expect(problem(() => readConfig({ SLUICE_TLS_CERT: 'cert.pem' }))).toContain('SLUICE_TLS_KEY');
  expect(problem(() => readConfig({ SLUICE_TLS_KEY: 'key.pem' }))).toContain('SLUICE_TLS_CERT');
});

it('parses changes at runtime with the same schemas', () => {
  expect(parseSetting('rowsMax', 5)).toEqual({ ok: true, value: 5 });
  expect(parseSetting('rowsMax', '5')).toEqual({ ok: true, value: 5 });
  expect(parseSetting('rowsMax', 0)).toEqual({ ok: false, message: 'expected at least 1' });
  expect(parseSetting('rowsMax', 1.5)).toEqual({ ok: false, message: 'expected a whole number' });
  expect(parseSetting('rowsMax', null)).toEqual({ ok: false, message: 'expected a whole number' });
});

describe('OpenID Connect sign-in', () => {
  const provider = { SLUICE_OIDC_ISSUER: 'https://id.example.com/', SLUICE_OIDC_CLIENT_ID: 'sluice' };

  it('is off until a provider and a client are named', () => {
    expect(readConfig({})).toMatchObject({ oidcIssuer: null, oidcClientId: null, oidcScopes: 'openid profile email' });
    expect(readConfig(provider)).toMatchObject({ oidcIssuer: 'https://id.example.com/', oidcName: 'your company' });
  });

  it.each(['http://127.0.0.1:3000', 'http://localhost:3000/x', 'http://[::1]:3000'])('accepts %s on loopback', (issuer) => {
    expect(readConfig({ ...provider, SLUICE_OIDC_ISSUER: issuer }).oidcIssuer).toBe(issuer);
  });

  it('accepts maps as text and as a list, whose groups may contain commas', () => {
    expect(readConfig({ ...provider, SLUICE_OIDC_ROLE_MAP: 'a=Query User, b=Auditor' }).oidcRoleMap).toEqual([
      'a=Query User',
      'b=Auditor',
    ]);
    const yaml = 'oidc: { issuer: https://id.example.com, clientId: sluice, roleMap: ["cn=a,ou=b=Auditor"] }';
    expect(fromYaml(yaml).oidcRoleMap).toEqual(['cn=a,ou=b=Auditor']);
  });

  it.each([
    [{ SLUICE_OIDC_ISSUER: 'https://id.example.com' }, 'SLUICE_OIDC_CLIENT_ID'],
    [{ SLUICE_OIDC_CLIENT_ID: 'sluice' }, 'SLUICE_OIDC_ISSUER'],
    [{ SLUICE_OIDC_ROLE_MAP: 'a=Auditor' }, 'SLUICE_OIDC_ISSUER'],
    [{ SLUICE_OIDC_CLIENT_SECRET: 'not to be shown' }, 'SLUICE_OIDC_ISSUER'],
    [{ ...provider, SLUICE_OIDC_ISSUER: 'http://id.example.com' }, 'https://'],
    [{ ...provider, SLUICE_OIDC_ISSUER: 'https://id.example.com?x=1' }, 'without ?'],
    [{ ...provider, SLUICE_OIDC_SCOPES: 'profile' }, 'openid'],
    [{ ...provider, SLUICE_OIDC_ROLE_MAP: 'analysts' }, 'group=Role'],
    [{ ...provider, SLUICE_OIDC_DATABASE_MAP: '=Sales' }, 'group=Database'],
  ])('reports %j in one line', (environment, hint) => {
    const message = problem(() => readConfig(environment));
    expect(message).toContain(hint);
    expect(message).not.toMatch(/\n|not to be shown/);
  });
});
