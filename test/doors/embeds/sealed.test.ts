import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EmbedLink, embedOf, publishChartQuery, view } from '../../support/queries/embeds.ts';
import { admin, type Caller, startTestService, type TestService } from '../../support/services/service.ts';

const CANARY = 'canary-of-a-masked-value';
const sent = [{ ParameterName: '@Customer', Value: CANARY }];

let service: TestService;
let root: Caller;
let link: EmbedLink;
beforeAll(async () => {
  service = await startTestService();
  root = service.as(admin);
  const { queryName } = await publishChartQuery(root, 'Sealed', {
    sql: "select 'for ' || length(@Customer) as label, 1 as value",
    parameters: [{ name: '@Customer', dataType: 'nvarchar(100)', required: true, masked: true }],
  });
  link = await embedOf(root, { queryName, parameters: JSON.stringify(sent) });
});
afterAll(() => service?.close());

const stored = (change?: string): string => {
  const store = new DatabaseSync(join(service.folder, 'metadata.sqlite'));
  if (change !== undefined) store.prepare('update embeds set parameters = ?').run(change);
  const row = store.prepare('select parameters from embeds').get();
  store.close();
  return String(row?.parameters);
};
const shown = async () => (await view(service.as(), link.Token)).text;
const listed = async () =>
  (await root.call<{ items: { parameters: Record<string, unknown> }[] }>('GET', '/api/v1/embeds')).json.items[0]?.parameters;

test('the bound values of an embed are encrypted in the store and used for every view', async () => {
  expect(stored()).toMatch(/^"v1\.[\w-]+"$/);
  for (const name of ['metadata.sqlite', 'metadata.sqlite-wal']) {
    const bytes = await readFile(join(service.folder, name)).catch(() => Buffer.alloc(0));
    expect([name, bytes.includes(CANARY)]).toEqual([name, false]);
  }
  expect(await shown()).toContain(`for ${CANARY.length}`);
  expect(await listed()).toEqual({ '@Customer': '***' });
});

test('values stored in plain text by an earlier version are still used, and encrypted at the next start', async () => {
  expect(stored(JSON.stringify(sent))).toContain(CANARY);
  expect(await shown()).toContain(`for ${CANARY.length}`);
  await service.restart();
  expect(stored()).toMatch(/^"v1\.[\w-]+"$/);
  expect(await shown()).toContain(`for ${CANARY.length}`);
});

test('values encrypted for another embed or with a removed secret fail the view, but not the list', async () => {
  const kept = stored();
  stored(`${kept.slice(0, -3)}AA"`);
  expect((await view(service.as(), link.Token)).status).toBe(401);
  expect(await listed()).toEqual({});
  stored(kept);
  expect((await view(service.as(), link.Token)).status).toBe(200);
});
