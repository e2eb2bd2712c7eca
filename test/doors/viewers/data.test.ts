import { afterAll, beforeAll, expect, test } from 'vitest';
import { bearer, createVouchingApplication } from '../../support/people/viewers.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let host: Awaited<ReturnType<typeof createVouchingApplication>>;
let own: string;
beforeAll(async () => {
  service = await startTestService();
  host = await createVouchingApplication(service, 'host', { attributes: { team: 'red' } });
  own = (
    await publish(service.as(admin), {
      name: 'Own',
      sql: 'select @Team as team, @Size as size',
      parameters: [
        { name: '@Team', dataType: 'nvarchar', boundTo: 'user.attributes.team' },
        { name: '@Size', dataType: 'int', default: '1' },
      ],
      cacheSeconds: 600,
    })
  ).queryName;
});
afterAll(() => service.close());

const read = async (sub: string, claims: Record<string, unknown>, query = '', headers: Record<string, string> = {}) => {
  const token = await host.tokenOf(sub, claims);
  const response = await fetch(`${service.url}/data/${own}.csv${query}`, { headers: { ...bearer(token), ...headers } });
  return { status: response.status, text: await response.text(), etag: response.headers.get('etag') ?? '' };
};

test('rows by GET are those of the viewer, and a file of one viewer is not that of another', async () => {
  const ana = await read('ana', { attributes: { team: 'red' } });
  const bob = await read('bob', { attributes: { team: 'blue' } });
  expect([ana.status, ana.text.split('\r\n')[1], bob.text.split('\r\n')[1]]).toEqual([200, 'red,1', 'blue,1']);
  expect((await read('ana', { attributes: { team: 'red' } }, '', { 'If-None-Match': ana.etag })).status).toBe(304);
  const other = await read('carl', { attributes: { team: 'red' } }, '', { 'If-None-Match': ana.etag });
  expect([other.status, other.etag === ana.etag], 'the ETag of another viewer with equal values').toEqual([200, false]);
});

test('values that are fixed or bound cannot be sent', async () => {
  const claims = { attributes: { team: 'red' }, values: { '@Size': 7 } };
  expect((await read('ana', claims)).text.split('\r\n')[1]).toBe('red,7');
  expect((await read('ana', claims, '?Size=8')).status).toBe(400);
  expect((await read('ana', claims, '?Team=blue')).status).toBe(400);
  expect((await read('ana', {})).status).toBe(403);
});
