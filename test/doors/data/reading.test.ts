import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditOf, countDataExecutions, entryOf } from '../../support/audit-entries.ts';
import { makeDuckdbFile } from '../../support/databases/duckdb-file.ts';
import { createDatabase, execute, postgresProblem } from '../../support/databases/postgres.ts';
import { sendAtOnce } from '../../support/http/at-once.ts';
import { expectFieldProblem, expectProblem } from '../../support/http/problem.ts';
import { type Account, createKey, createUser, signIn } from '../../support/people/accounts.ts';
import { exportFormats, rowsOf } from '../../support/queries/exports.ts';
import { createLink, linkOf, pathOf } from '../../support/queries/links.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';
import { waitUntil } from '../../support/wait-until.ts';

const UNCODED = { 'Accept-Encoding': 'identity' };
const region = { name: '@Region', dataType: 'nvarchar(50)', required: false, default: 'all' };
const regions = { name: '@Regions', dataType: 'nvarchar(50)', multiple: true };
const since = { name: '@Since', dataType: 'date', required: false };

let service: TestService;
let root: Caller;
let ann: Account;
let key: string;
let queryName: string;
beforeAll(async () => {
  service = await startTestService();
  root = service.as(admin);
  const sql = `select i as id, @Region as region, cast(@Since as date) as since, 'a,"b"' as text from range(3) t(i)
    where 'x' not in (@Regions) or i = 1`;
  ({ queryName } = await publish(root, { name: 'Read by GET', sql, parameters: [region, regions, since] }));
  ann = await createUser(service, 'ann', { roles: ['Query User'], databases: ['*'] });
  ({ key } = await createKey(ann.caller));
});
afterAll(() => service?.close());

const read = (caller: Caller, path: string, headers: Record<string, string> = {}, method = 'GET') =>
  caller.call(method, path, undefined, { ...UNCODED, ...headers });
const bytesOf = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(service.url + path, { headers: { 'X-API-Key': key, ...headers } });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
};

describe('the rows of a query by its name', () => {
  it.each(exportFormats)('are a whole file as %s, with its type and name, and validators', async (format) => {
    const { response, bytes } = await bytesOf(`/data/${queryName}.${format}?Regions=y`);
    expect(response.status).toBe(200);
    expect(await rowsOf(format, bytes)).toMatchObject([{ id: 0 }, { id: 1 }, { id: 2 }]);
    const { headers } = response;
    expect(headers.get('content-disposition')).toBe(`inline; filename="Read by GET.${format}"`);
    expect(headers.get('etag')).toMatch(/^"[\w-]+"$/);
    expect(Math.abs(Date.parse(headers.get('last-modified') ?? '') - Date.now())).toBeLessThan(10_000);
    expect(headers.get('cache-control')).toBe('private, max-age=0');
    expect(headers.get('vary')).toBe('Accept-Encoding, Authorization, X-API-Key');
    expect(headers.get('x-query-version')).toBe('1');
    expect(headers.get('accept-ranges')).toBe(['csv', 'parquet'].includes(format) ? 'bytes' : 'none');
    const again = await bytesOf(`/data/${queryName}.${format}?Regions=y`, { 'If-None-Match': headers.get('etag') ?? '' });
    expect([again.response.status, again.bytes.length], 'the query ran, and its rows are the same').toEqual([304, 0]);
  });

  it('accepts Basic credentials and keys in both headers, but no cookie, and requests Basic credentials with a 401', async () => {
    const path = `/data/${queryName}.csv?Regions=y`;
    await expectStatus(read(ann.caller, path), 200);
    await expectStatus(read(service.as({ key }), path), 200);
    await expectStatus(read(service.as(), path, { Authorization: `Bearer ${key}` }), 200);
    const cookie = service.as({ cookie: await signIn(service, ann) });
    for (const [caller, code] of [
      [service.as(), 'credential_missing'],
      [cookie, 'credential_missing'],
      [service.as({ key: 'slc_x' }), 'credential_invalid'],
    ] as const) {
      const refused = read(caller, path, { 'User-Agent': 'Mozilla/4.0 (compatible; ms-office; MSOffice 16)' });
      await expectProblem(refused, 401, code);
      expect((await refused).headers.get('www-authenticate')).toBe('Basic realm="Sluice", charset="UTF-8"');
    }
    const byCurl = await read(service.as(), path, { 'User-Agent': 'curl/8.5.0' }, 'HEAD');
    expect([byCurl.status, byCurl.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="Sluice", charset="UTF-8"']);
  });

  it('reads values from the query string, with or without @, in any case, lists by repeating the name, and relative dates', async () => {
    const get = async (query: string) => (await expectStatus(read(ann.caller, `/data/${queryName}.json?${query}`), 200)).json;
    expect(await get('region=North&Regions=y')).toMatchObject([{ region: 'North' }, {}, {}]);
    expect(await get('@Region=S%C3%BCd%20%26%20Ost&Regions=y')).toMatchObject([{ region: 'Süd & Ost' }, {}, {}]);
    expect(await get('Regions=x&Regions=y')).toMatchObject([{ id: 1 }]);
    const today = new Date().toISOString().slice(0, 10);
    expect(await get('Regions=y&Since=today')).toMatchObject([{ since: today }, {}, {}]);
    const refused = (query: string) => read(ann.caller, `/data/${queryName}.json?${query}`);
    await expectFieldProblem(refused('Regions=y&Regoin=North'), 'parameter_unknown', 'Regoin');
    await expectFieldProblem(refused('Regions=y&Since=soon'), 'parameter_invalid', '@Since');
    await expectFieldProblem(refused('Regions=y&Region=a&Region=b'), 'parameter_invalid', '@Region');
    await expectFieldProblem(refused('Regions=y&format=csv'), 'parameter_unknown', 'format');
  });

  it('is 404 for unknown formats, 403 for other queries and 405 for other methods', async () => {
    await expectProblem(read(ann.caller, `/data/${queryName}.pdf`), 404, 'not_found');
    await expectProblem(read(ann.caller, `/data/${queryName}`), 404, 'not_found');
    await expectStatus(read(ann.caller, `/data/${queryName.toLowerCase()}.CSV?Regions=y`), 200);
    await expectProblem(read(ann.caller, '/data/QD_None_Demo.csv'), 403, 'query_not_accessible');
    const narrow = await createKey(ann.caller, { queries: ['QD_Sales_by_region_Demo'] });
    await expectProblem(read(service.as({ key: narrow.key }), `/data/${queryName}.csv?Regions=y`), 403, 'query_not_accessible');
    const posted = ann.caller.call('POST', `/data/${queryName}.csv`);
    await expectProblem(posted, 405, 'method_not_allowed');
    expect((await posted).headers.get('allow')).toContain('GET');
  });

  it('is compressed if the reader accepts it, with a separate ETag for each coding', async () => {
    const path = `/data/${queryName}.csv?Regions=y`;
    const tags = new Set<string | null>();
    for (const coding of ['gzip', 'br', 'identity']) {
      const { response, bytes } = await bytesOf(path, { 'Accept-Encoding': coding });
      expect(response.headers.get('content-encoding') ?? 'identity').toBe(coding);
      expect(bytes.toString()).toContain('"a,""b"""');
      const etag = response.headers.get('etag');
      tags.add(etag);
      const same = { 'Accept-Encoding': coding, 'If-None-Match': `W/"x", W/${etag}` };
      expect((await bytesOf(path, same)).response.status).toBe(304);
    }
    expect(tags.size).toBe(3);
    const { response } = await bytesOf(`/data/${queryName}.parquet?Regions=y`, { 'Accept-Encoding': 'gzip' });
    expect(response.headers.get('content-encoding')).toBeNull();
  });

  it('is readable by pages of an allowed Origin, and of no other', async () => {
    const path = `/data/${queryName}.csv?Regions=y`;
    const own = await read(ann.caller, path, { Origin: service.url });
    expect(own.headers.get('access-control-allow-origin')).toBe(service.url);
    expect(own.headers.get('access-control-expose-headers')).toContain('ETag');
    expect(own.headers.get('vary')).toBe('Origin, Accept-Encoding, Authorization, X-API-Key');
    const asked = { Origin: service.url, 'Access-Control-Request-Method': 'GET' };
    const preflight = await read(service.as(), path, asked, 'OPTIONS');
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
      204,
      expect.stringContaining('Range'),
    ]);
    const other = await read(ann.caller, path, { Origin: 'https://elsewhere.example' });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
    expect(other.headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });

  it('is 405 for a query with an Epilogue, and does not run it', async () => {
    await makeDuckdbFile(service.files, 'ledger.duckdb', ['create table log (who varchar)']);
    const database = { name: 'Ledger', kind: 'duckdb', connection: { file: 'ledger.duckdb' }, writable: true };
    await expectStatus(root.call('POST', '/api/v1/databases', database), 201);
    const count = { name: 'Count', database: 'Ledger', sql: 'select count(*) as n from log' };
    const { queryName: counted } = await publish(root, count);
    const { id, queryName: writing } = await publish(root, { ...count, name: 'Writes' });
    const path = pathOf(await linkOf(ann.caller, { queryName: writing }));
    await expectStatus(read(service.as(), path), 200);
    const epilogue = "insert into log values ('x')";
    await expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, { epilogue }), 200);
    for (const move of ['validate', 'activate']) await expectStatus(root.call('POST', `/api/v1/queries/${id}/${move}`), 200);
    for (const refused of [read(ann.caller, `/data/${writing}.csv`), read(service.as(), path)])
      expect((await expectProblem(refused, 405, 'method_not_allowed')).detail).toContain('Epilogue');
    expect((await read(ann.caller, `/data/${writing}.csv`, {}, 'HEAD')).status).toBe(405);
    await expectProblem(createLink(ann.caller, { queryName: writing }), 409, 'state_conflict');
    expect((await read(ann.caller, `/data/${counted}.csv`)).text).toBe('n\r\n0\r\n');
  });

  it('has an audit entry of the channel data', async () => {
    const entry = await auditOf(root, await read(ann.caller, `/data/${queryName}.csv?Regions=y`));
    expect(entry).toMatchObject({ channel: 'data', action: 'data.read', user: 'ann', query: queryName, rows: 3, status: 200 });
    expect(entry.parameters).toMatchObject({ '@Region': 'all', '@Regions': ['y'] });
    const head = await auditOf(root, await read(ann.caller, `/data/${queryName}.csv?Regions=y`, {}, 'HEAD'));
    expect(head).toMatchObject({ channel: 'data', status: 200, rows: null });
  });
});

describe('HEAD and ranges', () => {
  it.each(['csv', 'parquet'])('read parts of one %s file, uncoded, as DuckDB does', async (format) => {
    const path = `/data/${queryName}.${format}?Regions=y&Region=${format}`;
    const head = await expectStatus(read(ann.caller, path, { 'Accept-Encoding': 'gzip' }, 'HEAD'), 200);
    const size = Number(head.headers.get('content-length'));
    const etag = head.headers.get('etag');
    expect(head.headers.get('content-encoding')).toBeNull();
    const part = (range: string, more: Record<string, string> = {}) => bytesOf(path, { Range: range, ...more });
    const whole = await part('bytes=0-');
    expect([whole.response.status, whole.bytes.length]).toEqual([206, size]);
    const middle = await part('bytes=4-9', { 'Accept-Encoding': 'gzip' });
    expect(middle.response.headers.get('content-range')).toBe(`bytes 4-9/${size}`);
    expect(middle.response.headers.get('content-encoding')).toBeNull();
    expect(middle.bytes).toEqual(whole.bytes.subarray(4, 10));
    const last = await part('bytes=-8');
    expect(last.bytes).toEqual(whole.bytes.subarray(-8));
    expect([whole, middle, last].map(({ response }) => response.headers.get('etag'))).toEqual([etag, etag, etag]);
    expect((await part('bytes=0-3', { 'If-Range': etag ?? '' })).response.status).toBe(206);
    expect((await part('bytes=0-3', { 'If-Range': '"other"' })).response.status).toBe(200);
    expect((await part('bytes=0-1,3-4')).response.status, 'several ranges: the whole file').toBe(200);
    // later versions of DuckDB send If-Match
    const named = await part('bytes=4-9', { 'If-Match': etag ?? '' });
    expect([named.response.status, named.bytes]).toEqual([206, middle.bytes]);
    const wholeNamed = await bytesOf(path, { 'If-Match': `"x", ${etag}`, 'Accept-Encoding': 'gzip' });
    expect([wholeNamed.response.status, wholeNamed.bytes]).toEqual([200, whole.bytes]);
    for (const range of [{}, { Range: 'bytes=4-9' }]) {
      const changed = await bytesOf(path, { ...range, 'If-Match': `"x", W/${etag}` });
      expect([changed.response.status, changed.bytes.toString()]).toEqual([412, expect.stringContaining('file_changed')]);
    }
    expect((await bytesOf(path, { 'If-Match': '*' })).response.status).toBe(200);
    const huge = '9'.repeat(20);
    expect((await part(`BYTES=1-${huge}`)).response.headers.get('content-range')).toBe(`bytes 1-${size - 1}/${size}`);
    for (const none of [`bytes=${huge}-`, 'bytes=-0', 'bytes=5-2']) expect((await part(none)).response.status).toBe(416);
    const beyond = await part(`bytes=${size}-`);
    expect([beyond.response.status, beyond.response.headers.get('content-range')]).toEqual([416, `bytes */${size}`]);
    expect(beyond.bytes.toString()).toContain('range_invalid');
  });

  it('let a reader of Parquet fetch the footer and columns from one file, with one execution', async () => {
    const sql = 'select i as id, i * 1.5 as amount, cast(random() as varchar) as text from range(50000) t(i)';
    const { queryName: long } = await publish(root, { name: 'Long', sql });
    const url = `${service.url}${pathOf(await linkOf(ann.caller, { queryName: long, format: 'parquet' }))}`;
    const head = await fetch(url, { method: 'HEAD' });
    const byteLength = Number(head.headers.get('content-length'));
    let requests = 0;
    const slice = async (start: number, end = byteLength): Promise<ArrayBuffer> => {
      requests++;
      const response = await fetch(url, { headers: { Range: `bytes=${start}-${end - 1}` } });
      // DuckDB gives up if the status is another one or the ETag has changed
      expect([response.status, response.headers.get('etag')]).toEqual([206, head.headers.get('etag')]);
      return response.arrayBuffer();
    };
    const rows = await parquetReadObjects({ file: { byteLength, slice }, columns: ['id'] });
    expect([rows.length, Number(rows.at(-1)?.id)]).toEqual([50_000, 49_999]);
    expect(requests).toBeGreaterThan(1);
  });

  it('do not work for the other formats, which are sent whole', async () => {
    const response = await read(ann.caller, `/data/${queryName}.json?Regions=y`, { Range: 'bytes=0-3' });
    expect(response.status).toBe(200);
    const head = await expectStatus(read(ann.caller, `/data/${queryName}.json?Regions=y`, {}, 'HEAD'), 200);
    expect(Number(head.headers.get('content-length'))).toBe(response.text.length);
  });

  it('count rows of a key with a limit by the part that was read', async () => {
    const { key: bounded } = await createKey(ann.caller, { limits: { rowsPerDay: 4 } });
    const limited = service.as({ key: bounded });
    const path = `/data/${queryName}.csv?Regions=y&Region=limited`;
    await expectStatus(read(limited, path, {}, 'HEAD'), 200);
    await expectStatus(read(limited, path, { Range: 'bytes=0-' }), 206);
    await expectProblem(read(limited, path, { Range: 'bytes=0-' }), 429, 'rows_exceeded');
    await expectProblem(read(limited, path), 429, 'rows_exceeded');
  });
});

describe('a failure', () => {
  it('before the first byte is a problem with its status', async () => {
    const { queryName: failing } = await publish(root, { name: 'Failing', sql: "select error('broken') as n" });
    for (const method of ['GET', 'HEAD']) expect((await read(ann.caller, `/data/${failing}.csv`, {}, method)).status).toBe(500);
    await expectProblem(read(ann.caller, `/data/${failing}.csv`), 500, 'query_failed');
  });

  it('after the first byte resets the connection', async () => {
    const sql = "select case when i < 2000000 then cast(i as varchar) else error('broken') end as n from range(2000001) t(i)";
    const { queryName: late } = await publish(root, { name: 'Failing late', sql });
    const response = await fetch(`${service.url}/data/${late}.csv`, { headers: { 'X-API-Key': key } });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    expect(await entryOf(root, response)).toMatchObject({
      status: 500,
      error: 'query_failed',
      outcome: 'failed',
      channel: 'data',
    });
    await expectProblem(read(ann.caller, `/data/${late}.csv`, { 'If-None-Match': '"x"' }), 500, 'query_failed');
  });
});

describe('two users of one address with a bound parameter', () => {
  it('see their own rows, and neither gets the file, the ETag or the 304 of the other', async () => {
    const who = { name: '@Who', dataType: 'nvarchar(50)', required: true, boundTo: 'user.name' };
    const query = { name: 'Mine', sql: 'select @Who as who', parameters: [who], cacheSeconds: 300 };
    const { queryName: mine } = await publish(root, query);
    const bob = await createUser(service, 'bob', { roles: ['Query User'], databases: ['*'] });
    const path = `/data/${mine}.csv`;
    const [ofAnn, ofBob] = await Promise.all([read(ann.caller, path), read(bob.caller, path)]);
    expect([ofAnn.text, ofBob.text]).toEqual(['who\r\nann\r\n', 'who\r\nbob\r\n']);
    const tagOf = ({ headers }: { headers: Headers }) => headers.get('etag') ?? '';
    expect(tagOf(ofAnn)).not.toBe(tagOf(ofBob));
    const crossed = await read(bob.caller, path, { 'If-None-Match': tagOf(ofAnn) });
    expect([crossed.status, crossed.text]).toEqual([200, 'who\r\nbob\r\n']);
    const ranged = await read(bob.caller, path, { Range: 'bytes=5-', 'If-Range': tagOf(ofAnn) });
    expect([ranged.status, ranged.text]).toEqual([200, 'who\r\nbob\r\n']);
    expect((await read(bob.caller, path, { 'If-None-Match': tagOf(ofBob) })).status).toBe(304);
    expect((await read(ann.caller, path)).headers.get('cache-control')).toBe('private, max-age=300');
    await expectStatus(root.call('PATCH', `/api/v1/users/${bob.id}`, { databases: [] }), 200);
    await expectProblem(read(bob.caller, path, { 'If-None-Match': tagOf(ofBob) }), 403, 'query_not_accessible');
  });
});

describe.skipIf(postgresProblem() !== null)('rows that change', () => {
  let database: string;
  const names = new Map<string, string>();
  beforeAll(async () => {
    database = await createDatabase();
    await execute(database, 'create table items (id int); insert into items values (1)');
    const { hostname: host, port, username: user, password, pathname } = new URL(database);
    const connection = { host, port: Number(port), user, password, database: pathname.slice(1) };
    await expectStatus(root.call('POST', '/api/v1/databases', { name: 'Live', kind: 'postgres', connection }), 201);
    const add = async (name: string, sql: string, more = {}) =>
      names.set(name, (await publish(root, { name, sql, database: 'Live', ...more })).queryName);
    await add('items', 'select id from items order by id');
    await add('kept items', 'select id from items order by id', { cacheSeconds: 3600 });
    await add('moment', 'select clock_timestamp() as at, pg_sleep(0.5)::text as slept');
    await add('quick moment', 'select clock_timestamp() as at');
    await add('long', 'select pg_sleep(30)::text as slept');
  });
  const pathTo = (name: string, format = 'csv') => `/data/${names.get(name)}.${format}`;
  const insert = (id: number) => execute(database, `insert into items values (${id})`);

  it('are followed by every GET, 304 while nothing changed, and cached for cacheSeconds only', async () => {
    const first = await read(ann.caller, pathTo('items'));
    const kept = await read(ann.caller, pathTo('kept items'));
    const tag = { 'If-None-Match': first.headers.get('etag') ?? '' };
    expect((await read(ann.caller, pathTo('items'), tag)).status).toBe(304);
    expect((await read(ann.caller, pathTo('items'))).headers.get('etag'), 'a copy of the same rows').toMatch(/^"/);
    expect((await read(ann.caller, pathTo('items'), tag)).status).toBe(304);
    await insert(2);
    const second = await read(ann.caller, pathTo('items'), tag);
    expect([second.status, second.text]).toEqual([200, 'id\r\n1\r\n2\r\n']);
    expect((await read(ann.caller, pathTo('kept items'))).text).toBe(kept.text);
    const unchanged = await read(ann.caller, pathTo('kept items'), { 'If-None-Match': kept.headers.get('etag') ?? '' });
    expect(unchanged.status).toBe(304);
    expect(await auditOf(root, unchanged), 'no query ran').toMatchObject({ status: 304, cached: true, rows: null });
    await service.restart();
    expect((await read(ann.caller, pathTo('kept items'))).text, 'after a restart').toBe(kept.text);
    // as if another call removed the file after it was found and before its first byte
    const folder = join(service.folder, 'exports');
    for (const name of await readdir(folder)) if (name.endsWith('.data')) await rm(join(folder, name));
    expect((await expectStatus(read(ann.caller, pathTo('kept items')), 200)).text).toBe('id\r\n1\r\n2\r\n');
  });

  it('keep the file of HEAD and ranges, while a GET gets a newer one', async () => {
    const head = await read(ann.caller, pathTo('items'), {}, 'HEAD');
    await insert(3);
    const now = await read(ann.caller, pathTo('items'));
    expect(now.text).toBe('id\r\n1\r\n2\r\n3\r\n');
    const part = await read(ann.caller, pathTo('items'), { Range: 'bytes=0-' });
    expect([part.status, part.text]).toEqual([206, 'id\r\n1\r\n2\r\n']);
    expect(part.headers.get('etag')).toBe(head.headers.get('etag'));
    expect((await read(ann.caller, pathTo('items'), { Range: 'bytes=0-' })).headers.get('etag')).toBe(head.headers.get('etag'));
  });

  it.each(['moment', 'quick moment'])('are read once for fifty simultaneous readers (%s)', async (name) => {
    const link = await linkOf(ann.caller, { queryName: names.get(name) });
    const responses = await sendAtOnce(
      Array.from({ length: 50 }, (_, index) => {
        const [path, headers] = index % 2 === 0 ? [pathTo(name), { 'X-API-Key': key }] : [pathOf(link), {}];
        return { url: service.url + path, headers, method: index % 10 === 9 ? 'HEAD' : 'GET' };
      }),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(responses.map(({ text }) => text).filter((text) => text !== '')).size).toBe(1);
    expect(new Set(responses.map(({ etag }) => etag)).size).toBe(1);
    expect(await countDataExecutions(root, names.get(name) ?? '')).toBe(1);
  });

  it('end the execution when the last reader leaves, not before', async () => {
    const running = () =>
      execute(
        database,
        "select pid from pg_stat_activity where state = 'active' and query like '%pg_sleep(30)%' and query not like '%pg_stat%'",
      );
    const leave = [new AbortController(), new AbortController()];
    const calls = leave.map(({ signal }) =>
      fetch(service.url + pathTo('long'), { headers: { 'X-API-Key': key }, signal }).catch(() => null),
    );
    await waitUntil(running, (found) => found.length === 1);
    leave[0]?.abort();
    await calls[0];
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await running()).length).toBe(1);
    leave[1]?.abort();
    await waitUntil(running, (found) => found.length === 0);
  });
});
