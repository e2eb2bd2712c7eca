import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tools } from '../../../src/doors/mcp/tool-list.ts';
import { type AuditItem, auditOf, entryOf } from '../../support/audit-entries.ts';
import { createKey, createQueryUser } from '../../support/people/accounts.ts';
import {
  admin,
  type Caller,
  expectStatus,
  type List,
  startTestService,
  type TestService,
} from '../../support/services/service.ts';
import { waitUntil } from '../../support/wait-until.ts';

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
interface Door {
  readonly channel: string;
  readonly method: string;
  readonly path: string;
  readonly sent?: unknown;
}

const doors: readonly Door[] = [
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
  { channel: 'management', method: 'GET', path: '/api/v1/executions' },
  { channel: 'management', method: 'PATCH', path: '/api/v1/settings', sent: {} },
  { channel: 'rest', method: 'GET', path: '/api/v1/queries/x/choices?parameter=@A' },
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

    test('mcp: tools/list and a cancellation, which succeed without a key', async () => {
      for (const message of [
        { id: 1, method: 'tools/list' },
        { method: 'notifications/cancelled', params: { requestId: 7 } },
      ]) {
        const sent = { jsonrpc: '2.0', ...message };
        const response = await callWith({ 'X-API-Key': keys[state] }, 'POST', '/mcp', sent);
        expect(response.status).toBeLessThan(300);
        expect(await entryOf(auditor, response)).toMatchObject({ ...expected, channel: 'mcp', action: message.method });
      }
    });

    test.each(tools.map(({ name }) => name))('mcp: %s', async (tool) => {
      const inHeader = await callWith({ 'X-API-Key': keys[state] }, 'POST', '/mcp', rpc(tool));
      expect(await auditOf(auditor, inHeader)).toMatchObject({ ...expected, channel: 'mcp', action: tool });
      const asArgument = await callWith({}, 'POST', '/mcp', rpc(tool, { apiKey: keys[state] }));
      expect(await auditOf(auditor, asArgument)).toMatchObject({ ...expected, channel: 'mcp', action: tool });
    });
  },
);

describe('the audit entry of a call with a password names the account', () => {
  const WRONG = 'a wrong passphrase';
  const accounts: { username: string; password: string }[] = []; // one for each door: guesses at one are delayed
  beforeAll(async () => {
    for (const index of doors.keys()) accounts.push((await createQueryUser(service, `person ${index}`)).credential);
  });
  const entryOfRefusal = async (credential: { username: string; password: string }, door: Door, status = 401) =>
    auditOf(auditor, await expectStatus(service.as(credential).call(door.method, door.path, door.sent, from()), status));

  test.each(doors.map((door, index) => ({ ...door, index })))('that is wrong: $channel: $method $path', async (door) => {
    const { username = '' } = accounts[door.index] ?? {};
    const refused = { outcome: 'refused', status: 401, error: 'credential_invalid', channel: door.channel };
    expect(await entryOfRefusal({ username: username.toUpperCase(), password: WRONG }, door)).toMatchObject({
      ...refused,
      user: username,
    });
  });

  test.each([
    { how: 'disabled', change: { disabled: true }, error: 'credential_revoked' },
    { how: 'expired', change: { expiresAt: '2020-01-01T00:00:00Z' }, error: 'credential_expired' },
  ])('that is right, but of an account that is $how', async ({ how, change, error }) => {
    const { id, credential } = await createQueryUser(service, `an ${how} person`);
    await expectStatus(auditor.call('PATCH', `/api/v1/users/${id}`, change), 200);
    for (const door of doors)
      expect(await entryOfRefusal(credential, door), door.path).toMatchObject({ user: credential.username, error });
    const sent = await service.as().call('POST', '/api/v1/session', credential, from());
    expect(await auditOf(auditor, sent)).toMatchObject({ user: credential.username, error, action: 'session.sign-in' });
  });

  test('that was tried too often, and counts what is beyond 20 calls a minute', async () => {
    const { credential } = await createQueryUser(service, 'a guessed person');
    const at = from();
    const guess = () => service.as({ ...credential, password: WRONG }).call('GET', '/api/v1/account', undefined, at);
    for (let n = 0; n < 5; n++) await expectStatus(guess(), 401);
    const limited = await expectStatus(guess(), 429);
    expect(await auditOf(auditor, limited)).toMatchObject({
      user: credential.username,
      error: 'too_many_attempts',
      action: 'read',
    });
    for (let n = 0; n < 24; n++) await expectStatus(guess(), 429);
    const ofAddress = async () => {
      const found = auditor.call<List<AuditItem>>('GET', `/api/v1/audit?limit=100&search=${at['X-Forwarded-For']}`);
      return (await expectStatus(found, 200)).json.items.filter((each) => each.address === at['X-Forwarded-For']);
    };
    expect(await ofAddress()).toHaveLength(20);
    ahead += 61_000;
    const entries = await waitUntil(ofAddress, ({ length }) => length > 20);
    expect(entries.find(({ action }) => action === 'calls.refused')).toMatchObject({
      user: credential.username,
      parameters: { calls: 10 },
    });
  });

  test('and contains no password, nor does the log', async () => {
    const { text } = await auditor.call('GET', '/api/v1/audit?limit=1000');
    for (const password of [WRONG, ...accounts.map((each) => each.password)]) {
      expect(text).not.toContain(password);
      expect(service.log().join('\n')).not.toContain(password);
    }
  });
});

test('an ended session on a read has no entry', async () => {
  const { headers } = await expectStatus(
    service.as({ cookie: 'sluice_session=ended' }).call('GET', '/api/v1/account', undefined, from()),
    401,
  );
  const found = await auditor.call<List<AuditItem>>('GET', `/api/v1/audit?requestId=${headers.get('x-request-id')}`);
  expect(found.json.items).toEqual([]);
});

test('reads of the management interface with a valid credential, or none, have no entry', async () => {
  for (const caller of [auditor, service.as()]) {
    const { headers } = await caller.call('GET', '/api/v1/queries', undefined, from());
    const found = await auditor.call<List<AuditItem>>('GET', `/api/v1/audit?requestId=${headers.get('x-request-id')}`);
    expect(found.json.items).toEqual([]);
  }
});
