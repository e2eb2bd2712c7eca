import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exportIdOf } from '../../../src/results/files/export-files.ts';
import { expectProblem } from '../../support/http/problem.ts';
import { createQueryUser } from '../../support/people/accounts.ts';
import { linkOf, pathOf } from '../../support/queries/links.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    SLUICE_EXPORT_MAX_BYTES: String(1 << 20),
    SLUICE_EXPORT_MAX_BYTES_USER: String(2 << 20),
  });
});
afterAll(() => service?.close());

it('readers of a link with an open parameter fill half of the space of its issuer, who can still export and read', async () => {
  const { queryName } = await publish(service.as(admin), {
    name: 'Wide',
    sql: "select @Text as text, repeat('x', 1000) as wide from range(300) t(i)",
    parameters: [{ name: '@Text', dataType: 'nvarchar(50)', required: true }],
  });
  const ann = await createQueryUser(service, 'ann');
  const path = pathOf(await linkOf(ann.caller, { queryName, open: ['Text'] }));
  const read = (text: string) => service.as().call('GET', `${path}?Text=${text}`);
  for (const text of ['a', 'b', 'c']) await expectStatus(read(text), 200);
  await expectProblem(read('d'), 429, 'export_space_full');
  const body = { QueryName: queryName, Parameters: [{ ParameterName: '@Text', Value: 'd' }] };
  await expectStatus(ann.caller.call('POST', '/api/v1/Export/CreateLink?format=csv', body), 200);
  await expectStatus(ann.caller.call('GET', `/data/${queryName}.csv?Text=e`), 200);
});

it('simultaneous readers of a link together use no more of it', async () => {
  const { queryName } = await publish(service.as(admin), {
    name: 'Wide, at once',
    sql: "select @Text as text, repeat('x', 1000) as wide from range(300) t(i)",
    parameters: [{ name: '@Text', dataType: 'nvarchar(50)', required: true }],
  });
  const bob = await createQueryUser(service, 'bob');
  const path = pathOf(await linkOf(bob.caller, { queryName, open: ['Text'] }));
  const outcomes = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const response = await fetch(`${service.url}${path}?Text=${index}`);
      // one that began while there was space may be reset later
      const length = await response.text().then(
        (text) => text.length,
        () => -1,
      );
      return { status: response.status, length };
    }),
  );
  for (const { status, length } of outcomes)
    if (status === 200 && length >= 0) expect(length).toBeGreaterThan(300_000);
    else if (status !== 200) expect(status).toBe(429);
  const whole = outcomes.filter(({ status, length }) => status === 200 && length >= 0);
  expect(whole.length).toBeLessThanOrEqual(3);
  const own = exportIdOf(bob.id).slice(0, 16);
  const folder = join(service.folder, 'exports');
  const sizes = (await readdir(folder))
    .filter((name) => name.startsWith(own))
    .map(async (name) => (await stat(join(folder, name))).size);
  expect((await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(1 << 20);
});

it('a restart resets a running transfer, leaves no part of its file, and lets the reader read it again', async () => {
  const stopping = await startTestService({ SLUICE_DRAIN_SECONDS: '0' });
  try {
    const root = stopping.as(admin);
    const sql = "select i as n, repeat('x', 1000) as wide from range(case when @Most = 0 then 1000000000 else @Most end) t(i)";
    const parameters = [{ name: '@Most', dataType: 'int', required: true }];
    const { queryName } = await publish(root, { name: 'Long', sql, parameters });
    const link = await linkOf(root, { queryName, parameters: { '@Most': '0' }, open: ['@Most'] });
    const response = await fetch(stopping.url + pathOf(link));
    const reader = response.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    await stopping.restart();
    await expect(
      (async () => {
        while ((await reader?.read())?.done === false);
      })(),
    ).rejects.toThrow();
    const files = await readdir(join(stopping.folder, 'exports'));
    expect(files.filter((name) => name.endsWith('.part'))).toEqual([]);
    const again = await fetch(`${stopping.url}${pathOf(link)}?Most=5`);
    expect((await again.text()).split('\r\n')).toHaveLength(7);
    const same = (await fetch(stopping.url + pathOf(link))).body?.getReader();
    expect((await same?.read())?.done).toBe(false);
    await same?.cancel();
  } finally {
    await stopping.close();
  }
});
