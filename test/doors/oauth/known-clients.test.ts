import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type DocumentHost, startDocumentHost } from '../../support/http/document-host.ts';
import {
  authorizeUrl,
  createVerifier,
  decide,
  openBrowser,
  openConsent,
  redeem,
  refresh,
  registerApplication,
  send,
  tokensOf,
} from '../../support/people/oauth.ts';
import { readText } from '../../support/repository/source-files.ts';
import type { Visitor } from '../../support/services/oidc-provider.ts';
import { startTestService, type TestService } from '../../support/services/service.ts';

// What common applications register or publish, and how they ask, as seen in public in the second half of 2026.

let service: TestService;
let host: DocumentHost;
let browser: Visitor;
beforeAll(async () => {
  host = await startDocumentHost();
  service = await startTestService({ SLUICE_OAUTH_PRIVATE_HOSTS: host.host });
  browser = await openBrowser(service);
});
afterAll(async () => {
  await service.close();
  await host.close();
});

interface Known {
  readonly fields: Record<string, unknown>;
  readonly redirects: readonly string[]; // as they are asked for
  readonly resource: () => string | undefined;
  readonly scope?: string;
}
const grants = ['authorization_code', 'refresh_token'];
const url = () => `${service.url}/mcp/oauth`;
const cursor = [
  'cursor://anysphere.cursor-mcp/oauth/callback',
  'https://www.cursor.com/agents/mcp/oauth/callback',
  'http://localhost:8787/callback',
];

const registering: Record<string, Known> = {
  'Claude on the web': {
    fields: {
      ...{ client_name: 'Claude', redirect_uris: ['https://claude.ai/api/mcp/auth_callback'], scope: 'queries' },
      ...{ grant_types: grants, response_types: ['code'], token_endpoint_auth_method: 'none' },
    },
    redirects: ['https://claude.ai/api/mcp/auth_callback'],
    resource: url,
  },
  'Claude Code': {
    fields: {
      ...{ client_name: 'Claude Code (sluice)', redirect_uris: ['http://localhost:54321/callback'] },
      ...{ grant_types: grants, response_types: ['code'], token_endpoint_auth_method: 'none' },
    },
    redirects: ['http://localhost:61234/callback'],
    resource: url,
    scope: 'queries offline_access',
  },
  Cursor: {
    fields: {
      ...{ client_name: 'Cursor', redirect_uris: cursor, grant_types: grants, response_types: ['code'] },
      token_endpoint_auth_method: 'none',
    },
    redirects: cursor,
    resource: () => undefined,
  },
  'VS Code': {
    fields: {
      ...{ client_name: 'Visual Studio Code', client_uri: 'https://code.visualstudio.com', application_type: 'native' },
      ...{ grant_types: [...grants, 'urn:ietf:params:oauth:grant-type:device_code'], response_types: ['code'] },
      redirect_uris: [
        ...['https://insiders.vscode.dev/redirect', 'https://vscode.dev/redirect', 'http://localhost/', 'http://127.0.0.1/'],
        ...['http://localhost:33418/', 'http://127.0.0.1:33418/'],
      ],
      token_endpoint_auth_method: 'none',
    },
    redirects: ['http://127.0.0.1:33418/', 'http://127.0.0.1:50123/', 'https://vscode.dev/redirect'],
    resource: () => service.url + '/',
  },
  ChatGPT: {
    fields: {
      ...{ client_name: 'ChatGPT', redirect_uris: ['https://chatgpt.com/connector/oauth/abc123'], grant_types: grants },
      ...{ response_types: ['code'], token_endpoint_auth_method: 'none' },
    },
    redirects: ['https://chatgpt.com/connector/oauth/abc123'],
    resource: url,
  },
  'a web page that says it is one': {
    fields: {
      application_type: 'web',
      redirect_uris: ['http://localhost:6274/oauth/callback'],
      token_endpoint_auth_method: 'none',
    },
    redirects: ['http://localhost:6274/oauth/callback'],
    resource: () => service.url,
  },
};

const publishing: Record<string, Known> = {
  'Claude on the web': {
    fields: {
      ...{ client_name: 'Claude', client_uri: 'https://claude.ai', redirect_uris: ['https://claude.ai/api/mcp/auth_callback'] },
      ...{ grant_types: [...grants, 'urn:ietf:params:oauth:grant-type:jwt-bearer'], token_endpoint_auth_method: 'none' },
    },
    redirects: ['https://claude.ai/api/mcp/auth_callback'],
    resource: url,
  },
  'Claude Code': {
    fields: {
      ...{ client_name: 'Claude Code', redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'] },
      ...{ grant_types: grants, response_types: ['code'], token_endpoint_auth_method: 'none' },
    },
    redirects: ['http://localhost:51234/callback', 'http://127.0.0.1:51234/callback'],
    resource: url,
    scope: 'queries offline_access',
  },
  ChatGPT: {
    fields: {
      ...{
        client_name: 'ChatGPT',
        redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
        grant_types: grants,
      },
      ...{ token_endpoint_auth_method: 'private_key_jwt', token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'] },
      ...{ token_endpoint_auth_signing_alg: 'RS256', jwks_uri: 'https://chatgpt.com/oauth/jwks.json', response_types: ['code'] },
      logo_uri: 'https://persistent.oaistatic.com/sonic/misc/openai-logo.png',
    },
    redirects: ['https://chatgpt.com/connector_platform_oauth_redirect'],
    resource: url,
  },
  'VS Code': {
    fields: {
      ...{ client_name: 'Visual Studio Code', logo_uri: 'https://code.visualstudio.com/assets/branding/code-stable.png' },
      ...{ grant_types: [...grants, 'urn:ietf:params:oauth:grant-type:device_code'], application_type: 'native' },
      ...{ redirect_uris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'], token_endpoint_auth_method: 'none' },
    },
    redirects: ['http://127.0.0.1:33418/', 'http://127.0.0.1:44321/', 'https://vscode.dev/redirect'],
    resource: () => undefined,
  },
};

async function connectAs(clientId: string, { redirects, resource, scope }: Known): Promise<void> {
  for (const redirectUri of redirects) {
    const application = { clientId, redirectUri };
    const verifier = createVerifier();
    const id = await openConsent(browser, authorizeUrl(service, application, verifier, { resource: resource(), scope }));
    const back = await decide(service, browser, id);
    expect(back.href.startsWith(redirectUri)).toBe(true);
    const named = resource() === undefined ? {} : { resource: resource() };
    const tokens = await tokensOf(redeem(service, application, back.searchParams.get('code') ?? '', verifier, named));
    expect((await send(service, tokens.access_token, 'tools/list')).status).toBe(200);
    await tokensOf(refresh(service, application, tokens.refresh_token));
  }
}

describe('an application that registers itself is connected:', () => {
  test.each(Object.entries(registering))('%s', async (_name, known) => {
    const response = await registerApplication(service, known.fields);
    const { client_id: clientId }: { client_id: string } = JSON.parse(await response.text());
    expect([response.status, clientId]).toEqual([201, expect.any(String)]);
    await connectAs(clientId, known);
  });
});

describe('an application with a metadata document is connected:', () => {
  test.each(Object.entries(publishing))('%s', async (name, known) => {
    const path = `/${encodeURIComponent(name)}.json`;
    const clientId = host.serve(path, { client_id: host.url + path, ...known.fields });
    await connectAs(clientId, known);
  });
});

test('an application stays connected while the host of its document does not answer', async () => {
  const known = registering.ChatGPT as Known;
  const clientId = host.serve('/away.json', { ...known.fields, client_id: `${host.url}/away.json` });
  await connectAs(clientId, known);
  let refusals = 0;
  host.serve('/away.json', (_request, response) => {
    refusals++;
    response.writeHead(403).end();
  });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 }); // the library keeps a document for half a minute
  try {
    await connectAs(clientId, known);
  } finally {
    vi.useRealTimers();
  }
  expect(refusals).toBeGreaterThan(0);
});

test('the hosts that the documentation lists are sufficient for these applications', async () => {
  const rows = readText('docs/mcp-oauth.md').match(/^\|.*\| `[^|]+ \|$/gm) ?? [];
  const hosts = rows.flatMap((row) => [...(row.split('|').at(-2) ?? '').matchAll(/`([^`]+)`/g)].map(([, each]) => each));
  expect(hosts).toContain('chatgpt.com');
  const strict = await startTestService({ SLUICE_OAUTH_CLIENT_HOSTS: hosts.join(',') });
  const { 'a web page that says it is one': _page, ...applications } = registering;
  for (const [name, { fields }] of [...Object.entries(applications), ...Object.entries(publishing)]) {
    const { status } = await registerApplication(strict, { redirect_uris: fields.redirect_uris });
    expect([name, status]).toEqual([name, 201]);
  }
  await strict.close();
});

test('metadata are found on each path that applications try, with and without their headers', async () => {
  const issuer = url();
  const tried = [
    ['/.well-known/oauth-protected-resource/mcp/oauth', 200],
    ['/.well-known/oauth-protected-resource', 404],
    ['/mcp/oauth/.well-known/oauth-protected-resource', 404],
    ['/.well-known/oauth-authorization-server/mcp/oauth', 200],
    ['/.well-known/openid-configuration/mcp/oauth', 200],
    ['/mcp/oauth/.well-known/openid-configuration', 200],
    ['/.well-known/oauth-authorization-server', 404],
  ] as const;
  for (const headers of [
    {},
    { 'MCP-Protocol-Version': '2025-11-25' },
    { Accept: 'text/html' },
    { Origin: 'https://any.example' },
  ])
    for (const [path, status] of tried) {
      const response = await fetch(service.url + path, { headers });
      expect([path, response.status]).toEqual([path, status]);
      const body: Record<string, unknown> = JSON.parse(await response.text());
      if (status === 200) expect([path, body.issuer ?? body.resource]).toEqual([path, issuer]);
    }
});
