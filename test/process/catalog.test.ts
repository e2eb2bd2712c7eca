import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApplication, createKey, createQueryUser } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { createWorkspace, type ServiceProcess, type Workspace } from '../support/services/process.ts';
import { admin, type Caller, expectStatus } from '../support/services/service.ts';

// `sluice catalog` against services with and without the demo catalog, whose database has the same file.

let source: Workspace;
let target: Workspace;
let from: ServiceProcess;
let to: ServiceProcess;
let root: Caller;
let keys: { readonly from: string; readonly to: string };
let folder: string;

beforeAll(async () => {
  [source, target] = [await createWorkspace(), await createWorkspace({ demo: false })];
  await cp(join(source.data, 'demo.duckdb'), join(target.files, 'demo.duckdb'));
  from = await source.start({ SLUICE_DATA: source.data, SLUICE_FILES: source.files });
  to = await target.start({ SLUICE_DATA: target.data, SLUICE_FILES: target.files, SLUICE_DEMO: 'off' });
  root = to.as(admin);
  for (const name of ['Demo', 'Production'])
    await expectStatus(
      root.call('POST', '/api/v1/databases', { name, kind: 'duckdb', connection: { file: 'demo.duckdb' } }),
      201,
    );
  const publisher = { roles: ['Query Publisher'] };
  keys = {
    from: (await (await createApplication(from, 'ci', publisher)).createKey()).key,
    to: (await (await createApplication(to, 'ci', publisher)).createKey()).key,
  };
  folder = await mkdtemp(join(tmpdir(), 'sluice-catalog-'));
}, 180_000);
afterAll(async () => {
  await source.remove();
  await target.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Runs `sluice catalog` with the key of an application. */
async function catalog(args: readonly string[], at: 'from' | 'to' = 'to', environment: Record<string, string> = {}) {
  const { url } = at === 'from' ? from : to;
  const ran = target.run(['catalog', ...args], { SLUICE_URL: url, SLUICE_API_KEY: keys[at], ...environment });
  return { code: await ran.ended, out: ran.stdout(), err: ran.stderr() };
}

async function filesIn(path: string): Promise<Readonly<Record<string, string>>> {
  const names = await readdir(join(path, 'queries'));
  const texts = await Promise.all(names.map((name) => readFile(join(path, 'queries', name), 'utf8')));
  return Object.fromEntries(names.map((name, index) => [name, texts[index] ?? '']));
}
const at = (name: string): string => join(folder, name);
const editFile = async (path: string, edit: (text: string) => string): Promise<void> =>
  writeFile(path, edit(await readFile(path, 'utf8')));

test('export, apply on an empty installation and export again give identical files; then there is nothing to do', async () => {
  expect(await catalog(['export', at('first')], 'from')).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringContaining('20 queries'),
  });
  expect(await catalog(['plan', at('first')], 'from')).toEqual({ code: 0, out: 'Nothing to do: 20 unchanged.\n', err: '' });

  expect(await catalog(['plan', at('first')])).toMatchObject({
    code: 2,
    err: '',
    out: expect.stringContaining('20 to create, 0 unchanged.'),
  });
  expect(await catalog(['apply', at('first')])).toMatchObject({ code: 0, err: '' });
  expect((await catalog(['export', at('second')])).code).toBe(0);
  expect(await filesIn(at('second'))).toEqual(await filesIn(at('first')));
  expect((await catalog(['plan', at('second'), '--prune'])).code).toBe(0);
  const { json } = await root.run('QD_Sales_by_region_Demo');
  expect(json.Data[0]).toMatchObject({ Region: 'Central Europe' });
});

test('renames a database, also in technical names and choices, and exports the same files', async () => {
  const map = ['--database', 'Demo=Production'];
  expect(await catalog(['apply', at('first'), ...map])).toMatchObject({ code: 0, err: '' });
  expect((await catalog(['plan', at('first'), ...map])).code).toBe(0);
  await expectStatus(root.run('QD_Sales_by_region_Production'), 200);
  const { json } = await expectStatus(
    root.call<{ items: { parameters: { choices?: { query: string } }[] }[] }>(
      'GET',
      '/api/v1/queries?limit=200&database=Production',
    ),
    200,
  );
  const references = json.items.flatMap(({ parameters }) => parameters.flatMap(({ choices }) => choices?.query ?? []));
  expect(references.length).toBeGreaterThan(0);
  expect(references.filter((name) => !name.endsWith('_Production'))).toEqual([]);

  expect((await catalog(['plan', at('first'), ...map, '--prune'])).out).toContain('deactivate QD_Customers_Demo');
  expect((await catalog(['apply', at('first'), ...map, '--prune'])).code).toBe(0);
  expect((await catalog(['export', at('third'), ...map])).code).toBe(0);
  expect(await filesIn(at('third'))).toEqual(await filesIn(at('first')));
  expect(await catalog(['plan', at('first'), '--database', 'Dmeo=Production'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('no file has the database Dmeo'),
  });
});

test('a plan shows the changes of a hand-written file, which is exported in canonical form', async () => {
  await cp(at('first'), at('edited'), { recursive: true });
  const path = join(at('edited'), 'queries/QD_Sales_by_region_Demo.sql');
  await editFile(path, (text) =>
    text
      .replace('/*---\n', '/*---   \r\n# why\n')
      .replace(/^tags:[\s\S]*?(?=^\w|^---)/m, 'tags: [sales, "by hand"]\n')
      .concat('\n\n'),
  );
  const handmade = "/*---\ndatabase: Demo\nname: 'Hand made'\n---*/\n\nselect 1 as n\n\n";
  await writeFile(join(at('edited'), 'queries/QD_Hand_made_Demo.sql'), handmade);
  const planned = await catalog(['plan', at('edited')], 'from');
  expect(planned.code).toBe(2);
  expect(planned.out).toContain('create     QD_Hand_made_Demo');
  expect(planned.out).toMatch(/change {5}QD_Sales_by_region_Demo\n[\s\S]*\n {2}\+ {2}- by hand\n/);
  expect(planned.out).toContain('1 to create, 1 to change, 19 unchanged.');
  expect((await catalog(['apply', at('edited'), '--note', 'commit 1'], 'from')).code).toBe(0);
  expect((await catalog(['export', at('edited')], 'from')).out).toContain('2 files changed');
  expect((await filesIn(at('edited')))['QD_Hand_made_Demo.sql']).toBe(
    '/*---\nname: Hand made\ndatabase: Demo\n---*/\nselect 1 as n\n',
  );
  const json = JSON.parse((await catalog(['plan', at('first'), '--prune', '--json'], 'from')).out);
  expect(json).toMatchObject({
    queries: [{ queryName: 'QD_Sales_by_region_Demo', action: 'change' }],
    unchanged: 19,
    deactivated: ['QD_Hand_made_Demo'],
  });
});

test('errors name file and line, and exit with 1', async () => {
  await cp(at('first'), at('broken'), { recursive: true });
  const queries = join(at('broken'), 'queries');
  await writeFile(join(queries, 'QD_A_Demo.sql'), '/*---\nname: A\ndatabase: Demo\ntimeoutSeconds: soon\n---*/\n\nselect 1');
  await writeFile(join(queries, 'QD_B_Demo.sql'), '/*---\nname: B\ndatabase: Demo\n---*/\n\nselect 1\nfrom nowhere');
  const wrongType = await catalog(['plan', at('broken')], 'from');
  expect(wrongType).toEqual({
    code: 1,
    out: '',
    err: expect.stringMatching(/^queries\/QD_A_Demo\.sql:4: timeoutSeconds: Expected a whole number/),
  });
  await rm(join(queries, 'QD_A_Demo.sql'));
  for (const command of ['plan', 'apply'])
    expect(await catalog([command, at('broken')], 'from')).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^queries\/QD_B_Demo\.sql:7: .*nowhere/),
    });
  await writeFile(join(queries, 'QD_B_Demo.sql'), '/*---\nname: [B\n---*/\nselect 1');
  await writeFile(join(queries, 'QD_C_Demo.epilogue.sql'), 'delete from t');
  const unreadable = await catalog(['plan', at('broken'), '--json'], 'from');
  expect([unreadable.code, JSON.parse(unreadable.out).errors]).toEqual([
    1,
    [
      { file: 'queries/QD_B_Demo.sql', line: 3, message: expect.any(String) },
      { file: 'queries/QD_C_Demo.epilogue.sql', line: 1, message: expect.stringContaining('QD_C_Demo.sql') },
    ],
  ]);
});

test('refuses what it cannot do in one line', async () => {
  const refused = async (args: readonly string[], environment: Record<string, string> = {}) => {
    const { code, err } = await catalog(args, 'from', environment);
    return [code, err.trim().split('\n').length, err];
  };
  expect(await refused(['plan', at('nothing')])).toEqual([1, 1, expect.stringContaining('there is no folder')]);
  expect(await refused(['plan', at('first'), '--purge'])).toEqual([1, 1, expect.stringContaining('usage: sluice catalog plan')]);
  expect(await refused(['export', at('first'), '--prune'])).toEqual([
    1,
    1,
    expect.stringContaining('usage: sluice catalog export'),
  ]);
  expect(await refused(['plan', at('first')], { SLUICE_URL: '' })).toEqual([1, 1, expect.stringContaining('SLUICE_URL')]);
  expect(await refused(['plan', at('first')], { SLUICE_URL: 'http://127.0.0.1:9' })).toEqual([
    1,
    1,
    expect.stringContaining('cannot reach'),
  ]);
  expect(await refused(['plan', at('first')], { SLUICE_API_KEY: 'slc_aaaaaaaa_wrong' })).toEqual([
    1,
    1,
    expect.stringContaining('not valid'),
  ]);
  expect(await refused(['plan', at('first')], { SLUICE_API_KEY: 'slc_a\nsecret' })).toEqual([
    1,
    1,
    expect.not.stringContaining('secret'),
  ]);
  expect(await refused(['plan', at('first'), '--url', `${from.url}/api`])).toEqual([1, 1, expect.stringContaining('set --url')]);
  const reader = await createQueryUser(from, 'catalog-reader');
  const SLUICE_API_KEY = (await createKey(reader.caller)).key;
  expect(await refused(['export', at('reader')], { SLUICE_API_KEY })).toEqual([1, 1, expect.stringContaining('queries.author')]);
  expect(await refused(['plan', at('first')], { SLUICE_API_KEY })).toEqual([1, 1, expect.stringContaining('queries.author')]);
});

test('refuses an Epilogue without the permission, and removes its file; text cannot end a comment or control the terminal', async () => {
  const caller = from.as(admin);
  const { json } = await caller.call<{ items: { id: string; name: string; version: number }[] }>('GET', '/api/v1/databases');
  expect(json.items.map(({ name }) => name)).toEqual(['Demo']);
  const { id } = await publish(caller, { name: 'With text', sql: 'select 1 as n', description: 'Ends */ the comment\u001b[31m' });
  expect((await catalog(['export', at('epilogue')], 'from')).code).toBe(0);
  await writeFile(join(at('epilogue'), 'queries/QD_With_text_Demo.epilogue.sql'), 'delete from orders\n');
  const refused = await catalog(['plan', at('epilogue')], 'from');
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('queries.epilogue')]);
  expect((await catalog(['export', at('epilogue')], 'from')).code).toBe(0);
  expect(Object.keys(await filesIn(at('epilogue')))).not.toContain('QD_With_text_Demo.epilogue.sql');
  await expectStatus(caller.call('PATCH', `/api/v1/queries/${id}`, { description: 'Plain' }), 200);
  const planned = await catalog(['plan', at('epilogue')], 'from');
  expect(planned.out).toContain('+description: "Ends *\\/ the comment');
  expect(planned.out).not.toContain('\u001b');
});
