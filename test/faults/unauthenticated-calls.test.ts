import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuditItem, auditOf } from '../support/audit-entries.ts';
import { reportFigure } from '../support/faults/figure.ts';
import { createKey, createQueryUser, createUser } from '../support/people/accounts.ts';
import { type Caller, type List, type TestService, admin, expectStatus, startTestService } from '../support/services/service.ts';
import { waitUntil } from '../support/wait-until.ts';

let service: TestService;
let auditor: Caller;
let ahead = 0; // milliseconds that the service clock is ahead
beforeAll(async () => {
  service = await startTestService({ SLUICE_DEMO: 'off', SLUICE_TRUSTED_PROXIES: '127.0.0.1' }, () => Date.now() + ahead);
  auditor = service.as(admin);
});
afterAll(() => service.close());

const from = (address: string) => ({ 'X-Forwarded-For': address });
const entriesOf = async (search: string): Promise<readonly AuditItem[]> =>
  (await expectStatus(auditor.call<List<AuditItem>>('GET', `/api/v1/audit?limit=1000&search=${encodeURIComponent(search)}`), 200))
    .json.items;
const nextMinute = (): void => {
  ahead += 61_000;
};
/** The entry with the count of an address, written after the minute is over. */
const countOf = async (address: string): Promise<AuditItem | undefined> => {
  const found = await waitUntil(
    async () => (await entriesOf(address)).filter((entry) => entry.action === 'calls.refused' && entry.address === address),
    ({ length }) => length > 0,
  );
  expect(found).toHaveLength(1);
  return found[0];
};

const wrongKey = (address: string) =>
  service
    .as({ key: 'slc_nonsense' })
    .call('POST', '/api/v1/JsonBuilder/ExecuteQuery', { QueryName: 'x', Parameters: [] }, from(address));

const doors: Readonly<Record<string, (address: string) => Promise<unknown>>> = {
  rest: wrongKey,
  chart: (address) =>
    service
      .as({ key: 'slc_x' })
      .call('POST', '/api/v1/ChartBuilder/ExecuteQuery', { QueryName: 'x', Parameters: [] }, from(address)),
  'short form': (address) => service.as().call('POST', '/api/query/execute/x', { parameters: [] }, from(address)),
  export: (address) => service.as({ key: 'slc_x' }).call('POST', '/api/v1/Export/ExecuteQuery?format=csv', {}, from(address)),
  link: (address) => service.as().call('POST', '/api/v1/Export/CreateLink?format=csv', {}, from(address)),
  download: (address) => service.as().call('GET', '/api/v1/Export/Download?token=nonsense', undefined, from(address)),
  'download head': (address) => service.as().call('HEAD', '/api/v1/Export/Download?token=nonsense', undefined, from(address)),
  parameters: (address) =>
    service.as().call('GET', '/api/v1/JsonBuilder/GetQueryParameters?queryName=x', undefined, from(address)),
  mcp: (address) =>
    service
      .as({ key: 'slc_x' })
      .call(
        'POST',
        '/mcp',
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_databases', arguments: {} } },
        { Accept: 'application/json', ...from(address) },
      ),
  embed: (address) => service.as().call('GET', '/api/v1/EmbeddedChart/RenderByToken?token=nonsense', undefined, from(address)),
  picture: (address) => service.as().call('GET', '/api/v1/EmbeddedChart/RenderImage?token=nonsense', undefined, from(address)),
  'embed link': (address) => service.as().call('POST', '/api/v1/EmbeddedChart/GetEmbedUrl', {}, from(address)),
  'sign-out': (address) =>
    service.as({ cookie: 'sluice_session=dead' }).call('DELETE', '/api/v1/session', undefined, from(address)),
  management: (address) => service.as({ key: 'slc_x' }).call('POST', '/api/v1/users', {}, from(address)),
};

describe('of 50 calls without a valid credential', () => {
  const callers = Object.entries(doors).map(([name, call], index) => ({ name, call, address: `192.0.2.${index + 1}` }));
  const entries = new Map<string, number>();
  beforeAll(async () => {
    nextMinute();
    for (const { call, address } of callers) {
      for (let n = 0; n < 50; n++) await call(address);
      const own = (await entriesOf(address)).filter((entry) => entry.address === address);
      entries.set(address, own.length);
    }
    nextMinute();
  });

  test.each(callers)('20 have an entry, and one entry has the count of the others ($name)', async ({ address }) => {
    expect(entries.get(address)).toBe(20);
    expect(await countOf(address)).toMatchObject({ address, user: null, parameters: { calls: 30 } });
  });
});

test('counts sign-ins with a wrong password as well', async () => {
  nextMinute();
  const sign = (n: number) =>
    service.as().call('POST', '/api/v1/session', { username: `nobody ${n}`, password: 'wrong guess' }, from('192.0.2.99'));
  await Promise.all(Array.from({ length: 70 }, (_, n) => sign(n)));
  expect(await entriesOf('192.0.2.99')).toHaveLength(20);
  nextMinute();
  expect(await countOf('192.0.2.99')).toMatchObject({ parameters: { calls: 50 } });
});

test('counts the addresses of one IPv6 network together', async () => {
  nextMinute();
  for (let n = 0; n < 40; n++) await wrongKey(`2001:db8:5:6::${n.toString(16)}`);
  expect(await entriesOf('2001:db8:5:6:')).toHaveLength(20);
  nextMinute();
  expect(await countOf('2001:db8:5:6::/64')).toMatchObject({ parameters: { calls: 20 } });
});

test('limits the entries per minute for any number of addresses', async () => {
  nextMinute();
  const calls: Promise<unknown>[] = [];
  for (let n = 0; n < 3000; n++) {
    calls.push(wrongKey(`10.1.${n >> 8}.${n & 255}`));
    if (calls.length === 50) await Promise.all(calls.splice(0));
  }
  const single = (await entriesOf('10.1.')).length;
  expect(single).toBeLessThanOrEqual(500);
  nextMinute();
  const rest = await countOf('other addresses');
  expect(rest).toMatchObject({ user: null, parameters: { calls: 3000 - single } });
  reportFigure(21, `3,000 calls of as many addresses in a minute: ${single + 1} entries`);
});

test('names the owner of a revoked key and the account of a wrong password, also in entries with a count', async () => {
  nextMinute();
  const { credential } = await createQueryUser(service, 'owner');
  const owner = service.as(credential);
  const { id, key } = await createKey(owner, { name: 'old key' });
  await expectStatus(owner.call('DELETE', `/api/v1/account/api-keys/${id}`), 204);
  const run = () => service.as({ key }).call('POST', '/api/v1/JsonBuilder/ExecuteQuery', {}, from('192.0.2.120'));
  const refused = await expectStatus(run(), 401);
  expect(await auditOf(auditor, refused)).toMatchObject({ user: 'owner', apiKey: 'old key', error: 'credential_revoked' });
  for (let n = 0; n < 25; n++) await run();
  nextMinute();
  expect(await countOf('192.0.2.120')).toMatchObject({ user: 'owner', apiKey: 'old key', parameters: { calls: 6 } });

  const { username } = await createUser(service, 'Known');
  const wrong = await service
    .as()
    .call('POST', '/api/v1/session', { username: 'KNOWN', password: 'wrong guess' }, from('192.0.2.121'));
  expect(await auditOf(auditor, wrong)).toMatchObject({ user: username, error: 'credential_invalid' });
});

test('writes an entry for every call with a valid credential', async () => {
  nextMinute();
  for (let n = 0; n < 30; n++) await wrongKey('192.0.2.130');
  const { credential } = await createQueryUser(service, 'valid');
  for (let n = 0; n < 25; n++) {
    const response = await service
      .as(credential)
      .call('POST', '/api/v1/JsonBuilder/ExecuteQuery', { QueryName: 'x' }, from('192.0.2.130'));
    expect(await auditOf(auditor, response)).toMatchObject({ user: 'valid' });
  }
});

test('logs one line per minute about calls that were only counted', async () => {
  const lines = service.log().filter((line) => line.includes('Unauthenticated calls'));
  expect(lines.length).toBeGreaterThan(0);
  expect(service.log().length).toBeLessThan(100);
});
