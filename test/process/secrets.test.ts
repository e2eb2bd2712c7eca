import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase } from '../support/databases/postgres.ts';
import { type EmbedLink, embedOf, publishChartQuery, view } from '../support/queries/embeds.ts';
import { publish } from '../support/queries/publish.ts';
import { createWorkspace, type Workspace, type ServiceProcess } from '../support/services/process.ts';
import { type Caller, admin, expectStatus } from '../support/services/service.ts';

let workspace: Workspace;
let service: ServiceProcess;
let root: Caller;
let far: string; // a query on a database with an encrypted password
beforeAll(async () => {
  workspace = await createWorkspace();
  service = await workspace.start();
  root = service.as(admin);
  const { hostname, port, username, password, pathname } = new URL(await createDatabase());
  const connection = { host: hostname, port: Number(port), user: username, password, database: pathname.slice(1) };
  await expectStatus(root.call('POST', '/api/v1/databases', { name: 'Far', kind: 'postgres', connection }), 201);
  ({ queryName: far } = await publish(root, { name: 'Far', database: 'Far', sql: 'select 7 as n' }));
});
afterAll(() => workspace.remove());

const sluice = async (...args: string[]): Promise<string> => {
  const run = workspace.run(args);
  expect([await run.ended, run.stderr()]).toEqual([0, '']);
  return run.stdout();
};
const lines = async () => (await readFile(join(workspace.data, 'secret'), 'utf8')).trim().split('\n');

test('a new secret takes effect under load without a failure, and old codes stay valid', async () => {
  const long = await publish(root, { name: 'Long', sql: 'select i from range(3000) t(i)' });
  const first = await expectStatus(root.run(long.queryName, [], { RowSize: '1000' }), 200);
  const named = await publishChartQuery(root, 'Named', {
    sql: "select 'for ' || @Who as label, 1 as value",
    parameters: [{ name: '@Who', dataType: 'nvarchar(20)', required: true, masked: true }],
  });
  const embed = await embedOf(root, { queryName: named.queryName, parameters: '[{"ParameterName":"@Who","Value":"Ann"}]' });
  const code = first.json.QueryMoreCode ?? '';
  let busy = true;
  const statuses = new Set<number>();
  const load = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (busy) {
        statuses.add((await root.run(far)).status);
        statuses.add((await root.run(long.queryName, [], { QueryMoreCode: code })).status);
      }
    }),
  );
  const [before] = await lines();
  expect(await sluice('secrets', 'rotate')).toContain('the passwords of 1 databases and the values of 1 embeds');
  expect(await sluice('secrets', 'rotate')).toContain('drop-old');
  busy = false;
  await load;
  expect([...statuses]).toEqual([200]);
  expect(await lines()).toHaveLength(3);
  expect((await lines()).at(-1)).toBe(before);

  expect((await root.run(long.queryName, [], { QueryMoreCode: code })).status).toBe(200);
  // the service looks at the file once a second; only then are codes signed with the newest secret
  const age = async () => Date.now() - (await stat(join(workspace.data, 'secret'))).mtimeMs;
  await expect.poll(age, { timeout: 5_000 }).toBeGreaterThan(1_100);
  const fresh = (await root.run(long.queryName, [], { RowSize: '1000' })).json.QueryMoreCode ?? '';
  expect(await sluice('secrets', 'drop-old')).toContain('2 old secrets dropped');
  await expect.poll(async () => (await root.run(long.queryName, [], { QueryMoreCode: code })).status).toBe(400);
  expect((await root.run(long.queryName, [], { QueryMoreCode: fresh })).status).toBe(200);
  expect((await root.run(far)).json.Data).toEqual([{ n: 7 }]);

  // the token ended with its secret, the values did not
  expect((await view(service.as(), embed.Token)).status).toBe(401);
  const { json } = await expectStatus(root.call<EmbedLink>('POST', `/api/v1/embeds/${embed.Id}/regenerate`), 200);
  expect((await expectStatus(view(service.as(), json.Token), 200)).text).toContain('for Ann');
});

test('each rotation has an audit entry', async () => {
  const { json } = await root.call<{ items: { action: string }[] }>('GET', '/api/v1/audit?search=secrets.');
  expect(json.items.map(({ action }) => action)).toEqual(['secrets.drop-old', 'secrets.rotate', 'secrets.rotate']);
});

test('secrets from the setting replace the file, and are rotated by changing the setting', async () => {
  await service.stop();
  const [inFile = ''] = await lines();
  const fresh = Buffer.alloc(40, 'a fresh secret').toString('base64');
  const short = workspace.run(['start'], { SLUICE_SECRET: Buffer.alloc(31).toString('base64') });
  expect([await short.ended, short.stderr()]).toEqual([
    1,
    expect.stringContaining('bad value for SLUICE_SECRET: expected at least 32 bytes'),
  ]);

  const both = { SLUICE_SECRET: `${fresh},${inFile}` };
  const rotated = await workspace.start(both);
  expect((await rotated.as(admin).run(far)).json.Data).toEqual([{ n: 7 }]);
  const refused = workspace.run(['secrets', 'rotate'], both);
  expect([await refused.ended, refused.stderr()]).toEqual([1, expect.stringContaining('the secrets are in SLUICE_SECRET')]);
  const dropped = workspace.run(['secrets', 'drop-old'], both);
  expect([await dropped.ended, dropped.stdout()]).toEqual([0, expect.stringContaining('remove the other 1')]);
  await rotated.stop();

  const alone = await workspace.start({ SLUICE_SECRET: fresh });
  expect((await alone.as(admin).run(far)).json.Data).toEqual([{ n: 7 }]);
  expect(await lines()).toEqual([inFile]);
  await alone.stop();
});
