import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditOf } from '../../support/audit-entries.ts';
import { expectFieldProblem, expectProblem } from '../../support/http/problem.ts';
import { type Account, createKey, createUser } from '../../support/people/accounts.ts';
import { type DataLink, linkOf, pathOf } from '../../support/queries/links.ts';
import { publish } from '../../support/queries/publish.ts';
import {
  admin,
  type Caller,
  expectStatus,
  type List,
  startTestService,
  type TestService,
} from '../../support/services/service.ts';
import { waitUntil } from '../../support/wait-until.ts';

const run = promisify(execFile);
const region = { name: '@Region', dataType: 'nvarchar(50)', required: true };
const top = { name: '@Top', dataType: 'int', required: false, default: '2' };

let service: TestService;
let root: Caller;
let ann: Account;
let query: { id: string; queryName: string };
let now = Date.now;
beforeAll(async () => {
  service = await startTestService({}, () => now());
  root = service.as(admin);
  const sql = 'select @Region as region, i from range(10) t(i) where i < @Top';
  query = await publish(root, { name: 'Linked', sql, parameters: [region, top] });
  ann = await createUser(service, 'ann', { roles: ['Query User'], databases: ['*'] });
});
afterAll(() => service?.close());

const link = (more = {}) => linkOf(ann.caller, { queryName: query.queryName, parameters: { Region: 'North' }, ...more });
const read = (path: string, headers: Record<string, string> = {}) =>
  service.as().call('GET', path, undefined, { 'Accept-Encoding': 'identity', ...headers });

describe('a data link', () => {
  it('returns the rows without a credential, whatever credential is sent with it', async () => {
    const path = pathOf(await link());
    const rows = 'region,i\r\nNorth,0\r\nNorth,1\r\n';
    expect((await expectStatus(read(path), 200)).text).toBe(rows);
    expect((await read(path, { 'X-API-Key': 'slc_none', Authorization: 'Basic x' })).text).toBe(rows);
    const entry = await auditOf(root, await read(path));
    expect(entry).toMatchObject({ channel: 'link', action: 'data.read', user: 'ann', rows: 2, query: query.queryName });
    const refused = await auditOf(root, await read(path.replace('.csv', '.json')));
    expect(refused).toMatchObject({ channel: 'link', status: 404 });
    const token = path.split('/')[2] ?? '';
    expect(JSON.stringify([entry, refused, ...service.log()])).not.toContain(token.slice(0, 30));
  });

  it("opens in python's CSV reader", async () => {
    const { url } = await link({ parameters: { Region: 'Süd, "Ost"' } });
    const program =
      'import csv,io,sys,urllib.request as u\nfor row in csv.reader(io.TextIOWrapper(u.urlopen(sys.argv[1]),"utf-8",newline="")): print(row)';
    const { stdout } = await run('python3', ['-c', program, url]);
    expect(stdout).toBe(`['region', 'i']\n['Süd, "Ost"', '0']\n['Süd, "Ost"', '1']\n`);
  });

  it('takes open parameters only, which replace those of the link', async () => {
    const path = pathOf(await link({ open: ['@Top'] }));
    expect((await read(`${path}?top=1`)).text).toBe('region,i\r\nNorth,0\r\n');
    await expectFieldProblem(read(`${path}?Region=South`), 'parameter_unknown', 'Region');
    await expectFieldProblem(read(`${path}?Top=many`), 'parameter_invalid', '@Top');
    const open = pathOf(await linkOf(ann.caller, { queryName: query.queryName, open: ['Region'] }));
    await expectFieldProblem(read(open), 'parameter_invalid', '@Region');
    expect((await read(`${open}?@Region=West`)).text).toContain('West,0');
    for (const twice of ['Region=a&Region=b', 'Region=a&region=b', 'Region=a&@Region=b', '@Region=a&%40REGION=b'])
      await expectFieldProblem(read(`${open}?${twice}`), 'parameter_invalid', '@Region');
    for (const other of ['@@Region=a', 'Region%00=a', 'Region[]=a', 'QueryName=x', 'format=json', 'version=1'])
      await expectProblem(read(`${open}?Region=a&${other}`), 400, 'parameter_unknown');
    const both = pathOf(await link({ open: ['Region'] }));
    expect((await read(both)).text).toContain('North,0');
    expect((await read(`${both}?REGION=East`)).text).toContain('East,0');
  });

  it('is 404 under another name or format, and 401 with an altered token', async () => {
    const made = await link({ name: 'Täglich' });
    const path = pathOf(made);
    const { headers } = await expectStatus(read(path), 200);
    expect(headers.get('content-disposition')).toBe(`inline; filename="Taglich.csv"; filename*=UTF-8''T%C3%A4glich.csv`);
    await expectProblem(read(path.replace('.csv', '.json')), 404, 'not_found');
    await expectProblem(read(path.replace(/[^/]+\.csv$/, 'other.csv')), 404, 'not_found');
    const [, , token = ''] = path.split('/');
    for (const wrong of [`${token}A`, token.slice(0, -2), `E${token.slice(1)}`, 'x'])
      expect((await expectProblem(read(path.replace(token, wrong)), 401, 'credential_invalid')).detail).toMatch(/^The link is/);
    expect((await read(path.replace(token, 'x'))).headers.get('www-authenticate'), 'a password would not help').toBeNull();
    await expectProblem(service.as().call('POST', path), 405, 'method_not_allowed');
  });

  it('ends when it is regenerated, revoked or expired', async () => {
    const made = await link({ expiresInDays: 1 });
    const again = await expectStatus(ann.caller.call<DataLink>('POST', `/api/v1/links/${made.id}/regenerate`), 200);
    const { detail } = await expectProblem(read(pathOf(made)), 401, 'credential_revoked');
    expect(detail, 'for someone who has no account').toMatch(/^The link was revoked or replaced\. Ask/);
    const path = pathOf(again.json);
    const { headers } = await expectStatus(read(path), 200);
    now = () => Date.now() + 25 * 3_600_000;
    try {
      await expectProblem(read(path, { 'If-None-Match': headers.get('etag') ?? '' }), 401, 'credential_expired');
    } finally {
      now = Date.now;
    }
    await expectStatus(ann.caller.call('DELETE', `/api/v1/links/${made.id}`), 204);
    await expectProblem(read(path, { Range: 'bytes=0-' }), 401, 'credential_revoked');
  });

  it("has the issuer's rights of the moment", async () => {
    const path = pathOf(await link());
    const change = (body: object) => expectStatus(root.call('PATCH', `/api/v1/users/${ann.id}`, body), 200);
    for (const [taken, back] of [
      [{ databases: [] }, { databases: ['*'] }],
      [{ disabled: true }, { disabled: false }],
      [{ roles: ['Auditor'] }, { roles: ['Query User'] }],
    ]) {
      await expectStatus(read(path), 200);
      await change(taken ?? {});
      expect((await expectProblem(read(path), 403, 'query_not_accessible')).detail).toMatch(/^The rows of this link/);
      await change(back ?? {});
    }
    await expectStatus(root.call('POST', `/api/v1/queries/${query.id}/deactivate`), 200);
    await expectProblem(read(path), 403, 'query_not_accessible');
    await expectStatus(root.call('POST', `/api/v1/queries/${query.id}/activate`), 200);
    await expectStatus(read(path), 200);
  });

  it('shows rows bound to the caller only if its issuer allowed it, also when the query changes', async () => {
    const { id, queryName } = await publish(root, { name: 'Becomes bound', sql: 'select 1 as who' });
    const path = pathOf(await linkOf(ann.caller, { queryName }));
    await expectStatus(read(path), 200);
    const who = { name: '@Who', dataType: 'nvarchar(50)', required: true, boundTo: 'user.name' };
    await expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, { sql: 'select @Who as who', parameters: [who] }), 200);
    for (const move of ['validate', 'activate']) await expectStatus(root.call('POST', `/api/v1/queries/${id}/${move}`), 200);
    await expectProblem(read(path), 409, 'bound_to_caller');
    const allowed = await linkOf(ann.caller, { queryName, asIssuer: true });
    expect((await read(pathOf(allowed))).text).toBe('who\r\nann\r\n');
  });

  it('does not show the values of its issuer, even if the query changes', async () => {
    const sql = 'select @Store as store, @Size as size';
    const store = { name: '@Store', dataType: 'nvarchar(50)' };
    const size = { name: '@Size', dataType: 'nvarchar(50)' };
    const { id, queryName } = await publish(root, { name: 'Changing', sql, parameters: [store, size] });
    const values = { parameters: { Store: 'canary-store' }, open: ['@Size'] };
    const path = pathOf(await linkOf(ann.caller, { queryName, ...values }));
    const ofIssuer = pathOf(await linkOf(ann.caller, { queryName, ...values, asIssuer: true }));
    await expectStatus(read(path), 200);
    const become = async (change: object) => {
      await expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, { sql, ...change }), 200);
      for (const move of ['validate', 'activate']) await expectStatus(root.call('POST', `/api/v1/queries/${id}/${move}`), 200);
    };
    const withDefault = pathOf(await linkOf(ann.caller, { queryName, parameters: { Size: 'canary-size' }, open: ['@Size'] }));
    const refusedTo = async (reader: string, status: number, code: string) => {
      const response = await read(reader);
      const { detail } = await expectProblem(Promise.resolve(response), status, code);
      expect(detail).not.toMatch(/canary|your account/);
      expect((await auditOf(root, response)).parameters).toEqual({ link: expect.any(String) });
    };

    await become({
      parameters: [
        { ...store, values: ['North'] },
        { ...size, values: ['large'] },
      ],
    });
    await refusedTo(path, 409, 'state_conflict');
    await refusedTo(`${path}?Size=small`, 409, 'state_conflict');
    await refusedTo(withDefault, 409, 'state_conflict');
    await refusedTo(`${withDefault}?Size=small`, 400, 'parameter_invalid');
    await become({ sql: 'select @Size as size', parameters: [size] });
    await refusedTo(path, 409, 'state_conflict');
    await become({ parameters: [{ ...store, boundTo: 'user.attributes.store' }, size] });
    await refusedTo(path, 409, 'bound_to_caller');
    await refusedTo(ofIssuer, 409, 'state_conflict');
    await become({ parameters: [store, { ...size, boundTo: 'user.attributes.size' }] });
    await refusedTo(path, 409, 'bound_to_caller');
    await refusedTo(ofIssuer, 403, 'caller_attribute_missing');
    await become({ parameters: [store, { ...size, required: true }] });
    await refusedTo(path, 400, 'parameter_invalid');
    await expectStatus(read(`${path}?Size=small`), 200);
  });

  it('counts its uses, but not each range', async () => {
    const { id, url } = await link({ format: 'parquet' });
    const path = new URL(url).pathname;
    await service.as().call('HEAD', path);
    for (const range of ['bytes=0-3', 'bytes=4-9']) await expectStatus(read(path, { Range: range }), 206);
    await expectStatus(read(path), 200);
    const find = async () =>
      (await ann.caller.call<List<DataLink>>('GET', '/api/v1/links?limit=1000')).json.items.find((each) => each.id === id);
    const counted = await waitUntil(find, (found) => found?.views === 2, 30_000);
    expect(Math.abs(Date.parse(counted?.lastUsedAt ?? '') - Date.now())).toBeLessThan(60_000);
  });

  it('has its own rate limit', async () => {
    await expectStatus(root.call('PATCH', '/api/v1/settings', { ratePerLink: 2 }), 200);
    try {
      const [one, two] = [pathOf(await link()), pathOf(await link())];
      const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await read(one)).status));
      expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(5);
      await expectStatus(read(two), 200);
    } finally {
      await expectStatus(root.call('PATCH', '/api/v1/settings', { ratePerLink: null }), 200);
    }
  });

  it('is refused as a credential elsewhere', async () => {
    const [, , token = ''] = pathOf(await link()).split('/');
    await expectProblem(service.as({ key: token }).call('GET', '/api/v1/account'), 401, 'credential_invalid');
    await expectProblem(service.as({ key: token }).call('GET', `/data/${query.queryName}.csv`), 401, 'credential_invalid');
    expect((await service.as().call('GET', `/api/v1/EmbeddedChart/RenderByToken?token=${token}`)).status).toBe(401);
    const { key } = await createKey(ann.caller);
    await expectProblem(read(`/data/${key}/Linked.csv`), 401, 'credential_invalid');
  });
});
