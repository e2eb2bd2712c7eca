import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reportFigure } from '../../support/faults/figure.ts';
import { expectFieldProblem, expectProblem } from '../../support/http/problem.ts';
import { sendRaw } from '../../support/http/raw-call.ts';
import { PASSWORD, createKey, createQueryUser, signIn } from '../../support/people/accounts.ts';
import { csvCells, excelMoment, exportFormats, toPlainRows, rowsOf, startExport } from '../../support/queries/exports.ts';
import { publish } from '../../support/queries/publish.ts';
import { type Caller, type TestService, admin, expectStatus, startTestService } from '../../support/services/service.ts';

let service: TestService;
let author: Caller;
let key: { key: string };
let caller: Caller;
beforeAll(async () => {
  service = await startTestService();
  author = service.as(admin);
  await createQueryUser(service, 'reader');
  key = await createKey(service.as({ username: 'reader', password: PASSWORD }), { name: 'exports' });
  caller = service.as(key);
});
afterAll(() => service.close());

const day = (name: string, Value: string) => ({ ParameterName: name, Value, DataType: 'date' });
const lines = { QueryName: 'QD_Order_lines_Demo', Parameters: [day('@From', '2023-03-01'), day('@To', '2023-03-02')] };
const path = (format: string) => `/api/v1/Export/ExecuteQuery?format=${format}`;
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

test.each(exportFormats)('%s contains the same rows as the pages', async (format) => {
  const page = await caller.run(lines.QueryName, lines.Parameters);
  expect([page.json.QueryMoreCode, page.json.Data.length > 100]).toEqual([null, true]);
  const response = await startExport(service, key, format, lines);
  const rows = await rowsOf(format, await bytesOf(response));
  const read = format === 'xlsx' ? rows.map((row) => ({ ...row, 'Ordered at': excelMoment(row['Ordered at']) })) : rows;
  expect(read).toEqual(toPlainRows(page.json.Data));
  expect(Object.keys(rows[0] ?? {})).toEqual(Object.keys(page.json.Data[0] ?? {}));
});

test.each([
  ['csv', 'text/csv; charset=utf-8'],
  ['json', 'application/json'],
  ['ndjson', 'application/x-ndjson'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['parquet', 'application/vnd.apache.parquet'],
])('%s is sent as an attachment with its content type, no-store and nosniff', async (format, type) => {
  const { headers } = await startExport(service, key, format, { QueryName: 'QD_Sales_by_region_Demo' });
  expect(headers.get('content-type')).toBe(type);
  expect(headers.get('content-disposition')).toBe(`attachment; filename="Sales by region.${format}"`);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

test('a result without rows is a complete file, with a header if the format has one', async () => {
  const { queryName } = await publish(author, { name: 'No rows', sql: 'select 1 as n, 2 as m where false' });
  const texts = ['csv', 'json', 'ndjson'].map(async (format) => (await caller.call('POST', path(format), body(queryName))).text);
  expect(await Promise.all(texts)).toEqual(['n,m\r\n', '[]', '']);
});

test('the file name is sanitized, and complete in the RFC 8187 form', async () => {
  const { queryName } = await publish(author, { name: 'Größe: 5 "Zoll" / 日本', sql: 'select 1 as n' });
  const { headers } = await caller.call('POST', path('csv'), body(queryName));
  expect(headers.get('content-disposition')).toBe(
    `attachment; filename="Gro_e 5 Zoll __.csv"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%205%20Zoll%20%E6%97%A5%E6%9C%AC.csv`,
  );
});

describe('compression', () => {
  const codings = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };
  const send = (format: string, accepted: string) =>
    rawBytes({ 'Accept-Encoding': accepted, 'X-API-Key': key.key, 'Content-Type': 'application/json' }, format);
  const rawBytes = async (headers: Record<string, string>, format: string) => {
    const { request } = await import('node:http');
    const { hostname, port } = new URL(service.url);
    return new Promise<{ coding: string | undefined; vary: string | undefined; bytes: Buffer }>((resolve, reject) => {
      const sent = request({ host: hostname, port, path: path(format), method: 'POST', headers }, async (response) => {
        const pieces: Buffer[] = [];
        for await (const piece of response) pieces.push(piece);
        const { 'content-encoding': coding, vary } = response.headers;
        resolve({ coding, vary, bytes: Buffer.concat(pieces) });
      });
      sent.on('error', reject);
      sent.end(JSON.stringify(lines));
    });
  };

  test.each(Object.entries(codings))('%s on request, with the same bytes after decompression', async (coding, unpack) => {
    for (const format of ['csv', 'json', 'ndjson']) {
      const as = await send(format, 'identity');
      const packed = await send(format, `${coding}, identity;q=0.5`);
      expect([as.coding, packed.coding, packed.vary]).toEqual([undefined, coding, 'Accept-Encoding']);
      expect(packed.bytes.length).toBeLessThan(as.bytes.length / 3);
      expect(unpack(packed.bytes).equals(as.bytes)).toBe(true);
    }
  });

  test('never for xlsx and parquet, which are already compressed', async () => {
    for (const format of ['xlsx', 'parquet']) expect((await send(format, 'gzip, br, zstd')).coding).toBeUndefined();
  });
});

test('guards CSV cells that start like a formula unless the setting disables it', async () => {
  const { queryName } = await publish(author, { name: 'Formulas', sql: `select '=1+1' as t, -5 as n, '-x' as u` });
  const cells = async () => csvCells((await caller.call('POST', path('csv'), body(queryName))).text)[1];
  expect(await cells()).toEqual(["'=1+1", '-5', "'-x"]);
  await expectStatus(author.call('PATCH', '/api/v1/settings', { 'exports.guardFormulas': false }), 200);
  expect(await cells()).toEqual(['=1+1', '-5', '-x']);
  await expectStatus(author.call('PATCH', '/api/v1/settings', { guardFormulas: null }), 200);
  expect(await cells()).toEqual(["'=1+1", '-5', "'-x"]);
});

test('no CSV cell starts like a formula when it is split at semicolons or tabs, in exports and in the audit trail', async () => {
  const sql = `select 'first' as a, 'x;=1+1;' as b, concat('y', chr(9), '@z') as c, concat('l', chr(10), '-m') as d, 'q;"=2"' as e`;
  const { queryName } = await publish(author, { name: 'Separators', sql });
  const rows = (await caller.call('POST', path('csv'), body(queryName), { 'User-Agent': 'agent;=1+1;@x' })).text;
  expect(csvCells(rows)[1]).toEqual(['first', "x;'=1+1;", "y\t'@z", "l\n'-m", `q;'"=2"`]);
  const trail = (await author.call('GET', '/api/v1/audit?format=csv&limit=20')).text;
  expect(trail).toContain("agent;'=1+1;'@x");
  const starts = [rows, trail].flatMap((text) => text.split(/[;\t\r\n]/).map((field) => field.replace(/^"+/, '')));
  expect(starts.filter((field) => /^[=+\-@]/.test(field))).toEqual([]);
  reportFigure(29, `${starts.length} cells of two CSV files as a reader by ; or tabs sees them, none a formula`);
});

describe('is refused in the same order as other calls', () => {
  const known = 'QD_Sales_by_region_Demo';

  test('credential, form, query, parameters', async () => {
    await expectProblem(service.as().call('POST', path('nonsense'), '{'), 401, 'credential_missing');
    await expectProblem(service.as({ key: 'slc_nonsense' }).call('POST', path('csv'), body(known)), 401, 'credential_invalid');
    await expectProblem(caller.call('POST', path('csv'), '{'), 400, 'body_invalid');
    await expectProblem(caller.call('POST', path('csv'), '{}', { 'Content-Type': 'text/plain' }), 415, 'media_type_unsupported');
    await expectFieldProblem(caller.call('POST', path('csv'), { Parameters: [] }), 'field_missing', 'QueryName');
    await expectFieldProblem(caller.call('POST', path('pdf'), body('QD_Nothing_Demo')), 'field_invalid', 'format');
    await expectProblem(
      caller.call('POST', path('csv'), body('QD_Nothing_Demo', [day('@No', 'x')])),
      403,
      'query_not_accessible',
    );
    await expectFieldProblem(caller.call('POST', path('csv'), body(known, [day('@From', 'x')])), 'parameter_invalid', '@From');
  });

  test('a missing, empty, unknown or repeated format', async () => {
    const send = (query: string) => caller.call('POST', `/api/v1/Export/ExecuteQuery${query}`, body(known));
    await expectFieldProblem(send(''), 'field_missing', 'format');
    await expectFieldProblem(send('?format='), 'field_missing', 'format');
    await expectFieldProblem(send('?format=csv&format=json'), 'field_invalid', 'format');
    await expectFieldProblem(send('?format=constructor'), 'field_invalid', 'format');
  });

  test('other methods', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const result = await caller.call(method, path('csv'));
      expect([result.status, result.headers.get('allow')]).toEqual([405, 'POST']);
    }
  });
});

test('refuses paging headers, which would be ignored', async () => {
  const headers = { RowIndex: '-1', RowSize: '2', QueryMoreCode: 'nonsense' };
  const { errors } = await expectProblem(
    caller.call('POST', path('csv'), body('QD_Sales_by_region_Demo'), headers),
    400,
    'field_unknown',
  );
  expect(errors?.map(({ field }) => field)).toEqual(['RowIndex', 'RowSize', 'QueryMoreCode']);
});

test('accepts the session cookie from own Origins only', async () => {
  const cookie = await signIn(service, { username: 'reader', password: PASSWORD });
  const send = (origin: string) =>
    sendRaw(service.url, {
      method: 'POST',
      path: path('csv'),
      headers: { Cookie: cookie, Origin: origin, Host: new URL(service.url).host, 'Content-Type': 'application/json' },
      body: JSON.stringify(body('QD_Sales_by_region_Demo')),
    });
  expect((await send(service.url)).status).toBe(200);
  expect((await send('https://elsewhere.example')).status).toBe(403);
});

test('exposes the file name to pages of an allowed Origin', async () => {
  const { headers } = await caller.call('POST', path('csv'), body('QD_Sales_by_region_Demo'), { Origin: service.url });
  expect(headers.get('access-control-expose-headers')).toContain('Content-Disposition');
  expect(headers.get('vary')).toBe('Origin, Accept-Encoding');
});

function body(QueryName: string, Parameters: readonly unknown[] = []) {
  return { QueryName, Parameters };
}
