import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorkspace, type Workspace } from '../support/services/process.ts';
import { admin } from '../support/services/service.ts';

let workspace: Workspace;
beforeAll(async () => {
  workspace = await createWorkspace();
  const service = await workspace.start({ SLUICE_DEMO: 'off' }); // the first start records figures of the demo
  await service.as(admin).call('POST', '/api/v1/account/api-keys', { name: 'exported' });
});
afterAll(() => workspace.remove());

const sluice = async (...args: string[]) => {
  const run = workspace.run(args);
  return { code: await run.ended, output: run.stdout() + run.stderr() };
};

test('exports the audit trail while the service runs, and audits the export', async () => {
  const file = join(workspace.folder, 'trail.ndjson');
  expect(await sluice('audit', 'export', file)).toMatchObject({ code: 0 });
  const entries = (await readFile(file, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(entries[0]).toMatchObject({ action: 'audit.export', parameters: { format: 'ndjson' }, client: 'the command sluice' });
  expect(entries.slice(1).map(({ action }) => action)).toContain('key.create');
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  const csv = join(workspace.folder, 'trail.csv');
  expect(await sluice('audit', 'export', csv)).toMatchObject({ code: 0 });
  const lines = (await readFile(csv, 'utf8')).trimEnd().split('\r\n');
  expect(lines[0]).toMatch(/^at,requestId,user,/);
  expect(lines).toHaveLength(entries.length + 2);
});

test('refuses to overwrite a file or to write another format', async () => {
  const file = join(workspace.folder, 'taken.csv');
  await sluice('audit', 'export', file);
  const before = await readFile(file, 'utf8');
  expect(await sluice('audit', 'export', file)).toEqual({
    code: 1,
    output: `sluice: ${file} already exists; choose another name\n`,
  });
  expect(await readFile(file, 'utf8')).toBe(before);
  expect(await sluice('audit', 'export', join(workspace.folder, 'trail.pdf'))).toMatchObject({ code: 1 });
});
