import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addAuditEntries } from '../support/audit-entries.ts';
import { type RawConnection, openRaw } from '../support/http/raw-call.ts';
import { selfSigned } from '../support/http/self-signed.ts';
import { createKey } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { type TestService, admin, expectStatus, startTestService } from '../support/services/service.ts';

// A body without a length that is not chunked, as in HTTP/1.0, is complete when its connection is closed. One that cannot be
// finished therefore ends in a reset.

const EXPORT = '/api/v1/Export/ExecuteQuery';
const queries = {
  Breaks: `select i as n, md5(i::varchar) as t, cast(case when i = 99999 then 'x' || i else i::varchar end as bigint) as v
    from range(120000) r(i)`,
  // fails within the first block of zstd, 128 KiB
  Repeats: `select repeat('x', 20) as t, cast(case when i = 4999 then 'x' || i else '1' end as bigint) as v
    from range(21000) r(i)`,
  Endless: 'select i as n, md5(i::varchar) as t from range(10000000000) r(i)',
  Wide: "select i as n, repeat('x', 1000) as t from range(15000) r(i)",
  Busy: 'select count(*) as n from range(10000000000) a(i), range(1000) b(j) where a.i % 7 = b.j % 7',
};

interface Fixture {
  readonly service: TestService;
  readonly key: string;
  /** Sends a request with a key. */
  open(method: string, path: string, more?: { version?: string; headers?: readonly string[]; body?: unknown }): RawConnection;
  /** The same for an export. */
  exportOf(query: keyof typeof queries, version: string, headers?: readonly string[], format?: string): RawConnection;
}

async function createFixture(settings: Record<string, string> = {}): Promise<Fixture> {
  const service = await startTestService(settings);
  const author = service.as(admin);
  for (const [name, sql] of Object.entries(queries)) await publish(author, { name, sql, timeoutSeconds: 120 });
  return fixtureOf(service, (await createKey(author, { name: 'bodies' })).key);
}

function fixtureOf(service: TestService, key: string): Fixture {
  const open: Fixture['open'] = (method, path, { version = '1.0', headers = [], body } = {}) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const lines = [
      `${method} ${path} HTTP/${version}`,
      `Host: ${new URL(service.url).host}`,
      `X-API-Key: ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${text.length}`,
      ...headers,
    ];
    return openRaw(service.url, `${lines.join('\r\n')}\r\n\r\n${text}`);
  };
  return {
    service,
    key,
    open,
    exportOf: (query, version, headers = [], format = 'csv') =>
      open('POST', `${EXPORT}?format=${format}`, { version, headers, body: { QueryName: `QD_${query}_Demo`, Parameters: [] } }),
  };
}

const versions = [
  ['1.0', []],
  ['1.0', ['Connection: keep-alive']],
  ['1.1', []],
  ['1.1', ['Connection: close']],
] as const;

describe('a connection is reset', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await createFixture({ SLUICE_STALL_SECONDS: '2', SLUICE_ROWS_MAX: '10000' });
  });
  afterAll(() => fixture.service.close());

  test.for(versions)('when an export fails: HTTP/%s %s', async ([version, headers]) => {
    for (const format of ['csv', 'xlsx']) {
      const { ended, text } = await fixture.exportOf('Breaks', version, headers, format).receive();
      expect(text).toMatch(/^HTTP\/1\.1 200 /);
      expect(text.length).toBeGreaterThan(100_000);
      expect(ended).toBe('reset');
    }
  });

  test.for(['gzip', 'br', 'zstd'])('when a body that is compressed with %s fails', async (coding) => {
    const { ended, text } = await fixture.exportOf('Breaks', '1.0', [`Accept-Encoding: ${coding}`]).receive();
    expect(text).toContain(`content-encoding: ${coding}`);
    expect(ended).toBe('reset');
  });

  test('when a client half-closes it before the end of a body', async () => {
    const connection = fixture.exportOf('Endless', '1.0');
    await connection.firstBytes;
    connection.socket.end();
    expect((await connection.receive()).ended).toBe('reset');
  });

  test('when a client sends bytes that are not HTTP before the end of a body', async () => {
    const connection = fixture.exportOf('Endless', '1.0', ['Connection: keep-alive']);
    await connection.firstBytes;
    connection.socket.write('no request\r\n\r\n');
    const { ended, text } = await connection.receive();
    expect(ended).toBe('reset');
    expect(text).not.toContain('400 Bad Request');
  });

  test('when a client does not read a body', { timeout: 60_000 }, async () => {
    const connection = fixture.exportOf('Endless', '1.0');
    await connection.firstBytes;
    const running = async () =>
      (await fixture.service.as(admin).call<{ items: unknown[] }>('GET', '/api/v1/executions')).json.items;
    await expect.poll(running, { timeout: 30_000 }).toEqual([]);
    expect((await connection.receive()).ended).toBe('reset');
  });

  test('not after a complete body', async () => {
    for (const [version, headers] of versions) {
      const connection = fixture.exportOf('Wide', version, [...headers, 'Connection: close']);
      const { ended, text } = await connection.receive();
      expect([ended, text.match(/x{1000}/g)?.length]).toEqual(['closed', 15_000]);
    }
  });

  test('not when a client half-closes it after a complete page', async () => {
    const body = { QueryName: 'QD_Wide_Demo', Parameters: [] };
    const connection = fixture.open('POST', '/api/v1/JsonBuilder/ExecuteQuery', { headers: ['RowSize: 10000'], body });
    await connection.firstBytes;
    connection.socket.end();
    const { ended, text } = await connection.receive();
    expect([ended, text.match(/x{1000}/g)?.length]).toEqual(['closed', 10_000]);
  });
});

test('a body that fails before its first compressed byte is an error response', async () => {
  const fixture = await createFixture();
  try {
    const { text } = await fixture.exportOf('Repeats', '1.0', ['Accept-Encoding: zstd']).receive();
    expect(text).toMatch(/^HTTP\/1\.1 500 /);
    expect(text).toContain('"code":"query_failed"');
    expect(text).not.toMatch(/content-(encoding|disposition)/i);
  } finally {
    await fixture.service.close();
  }
});

test('every body that is not finished at the end of a shutdown is reset', { timeout: 60_000 }, async () => {
  const fixture = await createFixture({ SLUICE_DRAIN_SECONDS: '0', SLUICE_ROWS_MAX: '20000' });
  const { service, open } = fixture;
  await addAuditEntries(service, 30_000);
  const body = { QueryName: 'QD_Wide_Demo', Parameters: [] };
  const link = await expectStatus(service.as(admin).call('POST', '/api/v1/Export/CreateLink?format=csv', body), 200);
  const { pathname, search } = new URL(String(link.json.downloadUrl));
  const basic = `Authorization: Basic ${Buffer.from(`${admin.username}:${admin.password}`).toString('base64')}`;
  const connections = {
    export: fixture.exportOf('Endless', '1.0'),
    'compressed export': fixture.exportOf('Endless', '1.1', ['Accept-Encoding: gzip']),
    page: open('POST', '/api/v1/JsonBuilder/ExecuteQuery', { headers: ['RowSize: 15000'], body }),
    download: open('GET', pathname + search),
    'audit trail': open('GET', '/api/v1/audit?format=csv', { headers: [basic] }),
  };
  const params = { name: 'execute_query', arguments: { queryName: 'QD_Busy_Demo' }, _meta: { progressToken: 1 } };
  const events = open('POST', '/mcp', {
    headers: ['Accept: application/json, text/event-stream'],
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
  });
  await Promise.all([...Object.values(connections), events].map(({ firstBytes }) => firstBytes));
  await service.close();
  for (const [name, connection] of Object.entries(connections)) {
    const { ended, text } = await connection.receive();
    expect([name, text.slice(0, 12), ended]).toEqual([name, 'HTTP/1.1 200', 'reset']);
  }
  // complete: its last event is the error of a cancelled query
  expect(await events.receive()).toEqual({ ended: 'closed', text: expect.stringContaining('"reason":"query_cancelled"') });
});

test('a process that ends with an uncaught error resets its connections', async () => {
  const from = (file: string) => JSON.stringify(join(import.meta.dirname, '../../src/doors/http', file));
  const script = `
    import { createServer } from 'node:http';
    import { watchConnections } from ${from('connections.ts')};
    const server = createServer((request, response) => {
      response.write('a body');
      setTimeout(() => { throw new Error('a defect'); }, 50);
    });
    watchConnections(server, 30_000);
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [port] = await once(child.stdout, 'data');
  const { ended, text } = await openRaw(`http://127.0.0.1:${Number(port)}`, 'GET / HTTP/1.0\r\n\r\n').receive();
  expect([text.endsWith('a body'), ended]).toEqual([true, 'reset']);
});

test('a connection with TLS is reset, too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-https-'));
  const { certificate, key: keyText } = await selfSigned();
  const [cert, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  await Promise.all([writeFile(cert, certificate), writeFile(keyFile, keyText, { mode: 0o600 })]);
  const { service, key } = await createFixture({ SLUICE_DATA: join(folder, 'data') });
  await service.close();
  const secure = await startTestService({
    SLUICE_DATA: join(folder, 'data'),
    ...(service.metadataUrl === null ? {} : { SLUICE_METADATA_URL: service.metadataUrl }),
    SLUICE_TLS_CERT: cert,
    SLUICE_TLS_KEY: keyFile,
  });
  try {
    const { exportOf } = fixtureOf(secure, key);
    for (const version of ['1.0', '1.1']) expect((await exportOf('Breaks', version).receive()).ended).toBe('reset');
    const left = exportOf('Endless', '1.0');
    await left.firstBytes;
    left.socket.end();
    expect((await left.receive()).ended).toBe('reset');
    expect((await exportOf('Wide', '1.0').receive()).ended).toBe('closed');
  } finally {
    await secure.close();
    await rm(folder, { recursive: true });
  }
});
