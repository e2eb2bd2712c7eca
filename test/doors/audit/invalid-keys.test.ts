import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuditItem, auditOf } from '../../support/audit-entries.ts';
import { createKey, createQueryUser } from '../../support/people/accounts.ts';
import {
  admin,
  type Caller,
  expectStatus,
  type List,
  startTestService,
  type TestService,
} from '../../support/services/service.ts';

const DAY_MS = 86_400_000;
let service: TestService;
let auditor: Caller;
let ahead = 0; // milliseconds that the service clock is ahead
let address = 0;
const keys = { revoked: '', expired: '' };
beforeAll(async () => {
  service = await startTestService({ SLUICE_DEMO: 'off', SLUICE_TRUSTED_PROXIES: '127.0.0.1' }, () => Date.now() + ahead);
  auditor = service.as(admin);
  const { caller } = await createQueryUser(service, 'owner');
  const revoked = await createKey(caller, { name: 'revoked key' });
  keys.revoked = revoked.key;
  await expectStatus(caller.call('DELETE', `/api/v1/account/api-keys/${revoked.id}`), 204);
  keys.expired = (await createKey(caller, { name: 'expired key', expiresInDays: 1 })).key;
  ahead = 2 * DAY_MS;
});
afterAll(() => service.close());

const body = { QueryName: 'x', Parameters: [] };
const rpc = (name: string, sent = {}) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: sent } });
const tools = [
  'get_user_profile',
  'list_queries',
  'list_databases',
  'get_query_detail',
  'get_query_parameters',
  'execute_query',
  'execute_query_next_page',
  'start_stream',
  'resume_stream',
  'export_query',
  'execute_chart_query',
];
const doors: readonly { channel: string; method: string; path: string; sent?: unknown }[] = [
  { channel: 'rest', method: 'POST', path: '/api/v1/JsonBuilder/ExecuteQuery', sent: body },
  { channel: 'chart', method: 'POST', path: '/api/v1/ChartBuilder/ExecuteQuery', sent: body },
  { channel: 'rest', method: 'POST', path: '/api/query/execute/x', sent: {} },
  { channel: 'rest', method: 'GET', path: '/api/v1/JsonBuilder/GetQueryParameters?queryName=x' },
  { channel: 'export', method: 'POST', path: '/api/v1/Export/ExecuteQuery?format=csv', sent: body },
  { channel: 'export', method: 'POST', path: '/api/v1/Export/CreateLink?format=csv', sent: body },
  { channel: 'rest', method: 'POST', path: '/api/v1/EmbeddedChart/GetEmbedUrl', sent: {} },
  { channel: 'rest', method: 'GET', path: '/api/v1/EmbeddedChart/GetEmbedUrl' },
  { channel: 'management', method: 'POST', path: '/api/v1/users', sent: {} },
  { channel: 'management', method: 'GET', path: '/api/v1/queries' },
  { channel: 'management', method: 'GET', path: '/api/v1/account' },
  { channel: 'management', method: 'GET', path: '/api/v1/audit' },
  { channel: 'ui', method: 'GET', path: '/api/v1/session' },
];

/** From a new address, because calls without a valid credential have few entries per address. */
const from = () => ({ 'X-Forwarded-For': `192.0.2.${++address}` });

describe.each(['revoked', 'expired'] as const)(
  'the audit entry of a call with a key that is %s names the key and its owner',
  (state) => {
    const expected = { user: 'owner', apiKey: `${state} key`, outcome: 'refused', status: 401, error: `credential_${state}` };
    const callWith = (headers: Record<string, string>, method: string, path: string, sent?: unknown) =>
      service.as().call(method, path, sent, { ...headers, ...from() });

    test.each(doors)('$channel: $method $path', async ({ channel, method, path, sent }) => {
      const inHeader = await expectStatus(callWith({ 'X-API-Key': keys[state] }, method, path, sent), 401);
      expect(await auditOf(auditor, inHeader)).toMatchObject({ ...expected, channel });
      const bearer = await expectStatus(callWith({ Authorization: `Bearer ${keys[state]}` }, method, path, sent), 401);
      expect(await auditOf(auditor, bearer)).toMatchObject({ ...expected, channel });
    });

    test.each(tools)('mcp: %s', async (tool) => {
      const inHeader = await callWith({ 'X-API-Key': keys[state] }, 'POST', '/mcp', rpc(tool));
      expect(await auditOf(auditor, inHeader)).toMatchObject({ ...expected, channel: 'mcp', action: tool });
      const asArgument = await callWith({}, 'POST', '/mcp', rpc(tool, { apiKey: keys[state] }));
      expect(await auditOf(auditor, asArgument)).toMatchObject({ ...expected, channel: 'mcp', action: tool });
    });
  },
);

test('reads of the management interface with a valid credential, or none, have no entry', async () => {
  for (const caller of [auditor, service.as()]) {
    const { headers } = await caller.call('GET', '/api/v1/queries', undefined, from());
    const found = await auditor.call<List<AuditItem>>('GET', `/api/v1/audit?requestId=${headers.get('x-request-id')}`);
    expect(found.json.items).toEqual([]);
  }
});
