import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deriveKey } from '../../../src/access/secret-box.ts';
import { createContinuations } from '../../../src/results/continuation.ts';
import { entryOf } from '../../support/audit-entries.ts';
import { expectFieldProblem, expectProblem } from '../../support/http/problem.ts';
import { createKey, createQueryUser } from '../../support/people/accounts.ts';
import { rowsOf } from '../../support/queries/exports.ts';
import { publish } from '../../support/queries/publish.ts';
import { type Caller, type TestService, admin, expectStatus, startTestService } from '../../support/services/service.ts';

interface Link {
  readonly format: string;
  readonly fileName: string;
  readonly mimeType: string;
  readonly size: number;
  readonly rowCount: number;
  readonly downloadUrl: string;
  readonly expiresAt: string;
}

let service: TestService;
let author: Caller;
let reader: Caller;
let query: { id: string; queryName: string };
beforeAll(async () => {
  service = await startTestService();
  author = service.as(admin);
  reader = (await createQueryUser(service, 'reader')).caller;
  const sql = 'select i as n, md5(cast(i as varchar)) as t from range(@Rows) r(i)';
  query = await publish(author, { name: 'Linked', sql, parameters: [{ name: '@Rows', dataType: 'int', required: true }] });
});
afterAll(() => service.close());

const rows = (Value: string) => [{ ParameterName: '@Rows', Value, DataType: 'int' }];
const createLink = (caller: Caller, options = 'format=csv', count = '20000') =>
  caller.call<Link>('POST', `/api/v1/Export/CreateLink?${options}`, { QueryName: query.queryName, Parameters: rows(count) });
const linkOf = async (caller: Caller, options?: string, count?: string) =>
  (await expectStatus(createLink(caller, options, count), 200)).json;
const pathOf = (link: Link) => link.downloadUrl.slice(new URL(link.downloadUrl).origin.length);
const download = (link: Link, headers: Record<string, string> = {}) => service.as().call('GET', pathOf(link), undefined, headers);
const tokenOf = (link: Link) => new URL(link.downloadUrl).searchParams.get('token') ?? '';

test('a link describes its file and works without a credential', async () => {
  const result = await expectStatus(createLink(reader), 200);
  const link = result.json;
  expect(link).toEqual({
    format: 'csv',
    fileName: 'Linked.csv',
    mimeType: 'text/csv; charset=utf-8',
    size: expect.any(Number),
    rowCount: 20_000,
    downloadUrl: expect.stringMatching(`^${service.url}/api/v1/Export/Download\\?token=[A-Za-z0-9_-]+$`),
    expiresAt: expect.stringMatching(/Z$/),
  });
  expect(Math.abs(Date.parse(link.expiresAt) - Date.now() - 600_000)).toBeLessThan(60_000);
  expect(result.headers.get('cache-control')).toBe('no-store');

  const response = await fetch(link.downloadUrl);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes.length).toBe(link.size);
  expect((await rowsOf('csv', bytes)).length).toBe(20_000);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="Linked.csv"',
    'content-length': String(link.size),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  });
  const usual = { user: 'reader', channel: 'export', outcome: 'ok', query: query.queryName, rows: 20_000, bytes: link.size };
  expect(await entryOf(author, response)).toMatchObject({
    ...usual,
    action: 'export.download',
    parameters: { '@Rows': '20000' },
  });
  const id = result.headers.get('x-request-id');
  expect((await author.call('GET', `/api/v1/audit?requestId=${id}`)).json).toMatchObject({
    items: [{ ...usual, action: 'query.export' }],
  });
});

test('HEAD returns the same headers without a body', async () => {
  const link = await linkOf(reader);
  const head = await fetch(link.downloadUrl, { method: 'HEAD' });
  const body = await fetch(link.downloadUrl);
  await body.arrayBuffer();
  const shown = (response: Response) =>
    ['content-type', 'content-length', 'content-disposition', 'etag', 'accept-ranges', 'cache-control'].map((name) =>
      response.headers.get(name),
    );
  expect(shown(head)).toEqual(shown(body));
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect(await entryOf(author, head)).toMatchObject({ action: 'export.download', outcome: 'ok', bytes: null });
});

test('supports ranges and repeated downloads', async () => {
  const link = await linkOf(reader);
  const whole = await download(link);
  const part = await download(link, { Range: 'bytes=100-199' });
  expect([part.status, part.headers.get('content-range'), part.text]).toEqual([
    206,
    `bytes 100-199/${link.size}`,
    whole.text.slice(100, 200),
  ]);
  const etag = whole.headers.get('etag') ?? '';
  expect((await download(link, { Range: 'bytes=-5', 'If-Range': etag })).text).toBe(whole.text.slice(-5));
  expect((await download(link, { Range: `bytes=${link.size - 3}-` })).text).toBe(whole.text.slice(-3));
  for (const headers of [{ Range: 'bytes=-5', 'If-Range': '"other"' }, { Range: 'bytes=9-5' }, { Range: 'bytes=1-2,4-5' }]) {
    const result = await download(link, headers);
    expect([result.status, result.text.length]).toEqual([200, whole.text.length]);
  }
});

test('uses the requested file name after sanitizing it', async () => {
  expect((await linkOf(reader, 'format=xlsx&fileName=March.xlsx')).fileName).toBe('March.xlsx');
  expect((await linkOf(reader, `format=csv&fileName=${encodeURIComponent('../../etc/passwd')}`)).fileName).toBe('etc passwd.csv');
});

test('links and files survive a restart', async () => {
  const link = await linkOf(reader);
  await service.restart();
  const result = await download(link);
  expect([result.status, result.text.length]).toEqual([200, link.size]);
});

describe('is refused', () => {
  test('creation, like every execution', async () => {
    await expectProblem(createLink(service.as(), 'format=nonsense'), 401, 'credential_missing');
    await expectFieldProblem(createLink(reader, 'format=nonsense'), 'field_invalid', 'format');
    await expectFieldProblem(createLink(reader, 'format=csv', 'many'), 'parameter_invalid', '@Rows');
    expect((await reader.call('GET', '/api/v1/Export/CreateLink?format=csv')).headers.get('allow')).toBe('POST');
  });

  test('a token that is missing, altered or of another kind', async () => {
    const link = await linkOf(reader);
    const get = (token: string) => service.as().call('GET', `/api/v1/Export/Download${token}`);
    await expectFieldProblem(get(''), 'field_missing', 'token');
    const token = tokenOf(link);
    for (const at of [0, 1, 20, 60, token.length - 1]) {
      const altered = token.slice(0, at) + (token[at] === 'x' ? 'y' : 'x') + token.slice(at + 1);
      const problem = await expectProblem(get(`?token=${altered}`), 400, 'continuation_invalid');
      expect(problem.detail).toContain('download link');
    }
    await expectProblem(get(`?token=${token}A`), 400, 'continuation_invalid');
    const page = await reader.run(query.queryName, rows('2000'), { RowSize: '10' });
    await expectProblem(get(`?token=${page.json.QueryMoreCode}`), 400, 'continuation_invalid');
    const again = await reader.run(query.queryName, rows('2000'), { QueryMoreCode: token });
    expect(again.status, 'nor is it a page').toBe(400);
    const post = await service.as().call('POST', pathOf(link));
    expect([post.status, post.headers.get('allow')?.split(', ').sort()]).toEqual([405, ['GET', 'HEAD']]);
  });

  test('an expired link and one whose file is gone', async () => {
    const link = await linkOf(reader);
    const secret = Buffer.from((await readFile(join(service.folder, 'secret'), 'utf8')).trim(), 'base64url');
    const continuations = createContinuations(deriveKey(secret, 'continuations'));
    const content = continuations.read(tokenOf(link), 'download');
    if (content === null) throw new Error('the token cannot be read');
    const get = (token: string) => service.as().call('GET', `/api/v1/Export/Download?token=${token}`);
    const expired = continuations.issue({ ...content, expiresAt: Date.now() - 1 });
    const problem = await expectProblem(get(expired), 400, 'continuation_expired');
    expect(problem.detail).toContain('10 minutes');
    await rm(join(service.folder, 'exports', `${content.fileId}.data`));
    await expectProblem(get(tokenOf(link)), 400, 'continuation_expired');
  });

  test('when its issuer may no longer run the query', async () => {
    const { id, credential } = await createQueryUser(service, 'leaver');
    const link = await linkOf(service.as(credential));
    expect((await download(link)).status).toBe(200);
    await expectStatus(author.call('PATCH', `/api/v1/users/${id}`, { databases: [] }), 200);
    await expectProblem(download(link), 403, 'query_not_accessible');
    await expectStatus(author.call('PATCH', `/api/v1/users/${id}`, { databases: ['*'] }), 200);
    expect((await download(link)).status).toBe(200);
    await expectStatus(author.call('PATCH', `/api/v1/users/${id}`, { disabled: true }), 200);
    await expectProblem(download(link), 403, 'query_not_accessible');
    expect((await fetch(link.downloadUrl, { method: 'HEAD' })).status).toBe(403);
  });

  test('when the key that created it is revoked', async () => {
    const key = await createKey(reader, { name: 'short' });
    const link = await linkOf(service.as({ key: key.key }));
    expect((await download(link)).status).toBe(200);
    await expectStatus(reader.call('DELETE', `/api/v1/account/api-keys/${key.id}`), 204);
    await expectProblem(download(link), 403, 'query_not_accessible');
  });

  test('when the query is no longer Active', async () => {
    const link = await linkOf(reader);
    await expectStatus(author.call('POST', `/api/v1/queries/${query.id}/deactivate`), 200);
    const result = await download(link);
    await expectProblem(Promise.resolve(result), 403, 'query_not_accessible');
    await expectStatus(author.call('POST', `/api/v1/queries/${query.id}/activate`), 200);
    const id = result.headers.get('x-request-id');
    expect((await author.call('GET', `/api/v1/audit?requestId=${id}`)).json).toMatchObject({
      items: [{ action: 'export.download', channel: 'export', outcome: 'refused', status: 403, user: 'reader' }],
    });
  });
});

test('a file over the size limit creates no link and leaves no file', async () => {
  await service.close();
  service = await startTestService({ SLUICE_EXPORT_MAX_BYTES: String(1 << 20) });
  const body = { QueryName: 'QD_Order_lines_Demo', Parameters: [] };
  const send = service.as(admin).call('POST', '/api/v1/Export/CreateLink?format=csv', body);
  const problem = await expectProblem(send, 500, 'result_incomplete');
  expect(problem.detail).toContain('1,048,576 bytes');
  expect(await readdir(join(service.folder, 'exports'))).toEqual([]);
});

test('no log line contains a token', async () => {
  const link = await service
    .as(admin)
    .call<Link>('POST', '/api/v1/Export/CreateLink?format=csv', { QueryName: 'QD_Sales_by_region_Demo', Parameters: [] });
  await download(link.json);
  await rm(join(service.folder, 'exports'), { recursive: true });
  await download(link.json);
  await service.as().call('GET', `${pathOf(link.json)}x`);
  expect(service.log().join('')).not.toContain(tokenOf(link.json));
});
