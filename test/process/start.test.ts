import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorkspace, type Workspace, type ServiceProcess, whenReady } from '../support/services/process.ts';
import { ADMIN_PASSWORD, admin } from '../support/services/service.ts';

const workspaces: Workspace[] = [];
const newPlace = async (options?: { demo: boolean }): Promise<Workspace> => {
  const workspace = await createWorkspace(options);
  workspaces.push(workspace);
  return workspace;
};
afterAll(async () => {
  for (const workspace of workspaces) await workspace.remove();
});

const PASSWORD_LINE = /^admin password: ([A-Za-z0-9]+)$/;
const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

let first: { workspace: Workspace; password: string; stdout: string; stderr: string };

/** Left running for the following tests. */
let service: ServiceProcess;

beforeAll(async () => {
  const workspace = await newPlace({ demo: false });
  service = await whenReady(workspace.run(['start']));
  process.stdout.write(`first start ${Math.round(service.readyMs)} ms\n`);
  const password = linesOf(service.stdout()).map((line) => PASSWORD_LINE.exec(line)?.[1])[1] ?? '';
  first = { workspace, password, stdout: service.stdout(), stderr: service.stderr() };
});

test('a first start creates a private data folder with secret, store and demo', async () => {
  const mode = async (name: string): Promise<string> => ((await stat(join(first.workspace.data, name))).mode & 0o777).toString(8);
  expect(await mode('.')).toBe('700');
  expect(await mode('secret')).toBe('600');
  expect(await mode('metadata.sqlite')).toBe('600');
  for (const entry of await readdir(first.workspace.data, { withFileTypes: true })) {
    expect([entry.name, await mode(entry.name)]).toEqual([entry.name, entry.isDirectory() ? '700' : '600']);
  }
  const { json } = await service.as({ username: 'admin', password: first.password }).call('GET', '/api/v1/queries?limit=1000');
  expect(json.items).toHaveLength(20);
});

test('prints the generated password in one line', async () => {
  const lines = linesOf(first.stdout + first.stderr);
  const withTheWord = lines.filter((line) => /password/i.test(line));
  expect(withTheWord).toEqual([`admin password: ${first.password}`]);
  expect(withTheWord[0]).toMatch(PASSWORD_LINE);
  expect(first.password.length).toBeGreaterThanOrEqual(16);
});

test('writes the password neither to the log nor to a file', async () => {
  expect(service.stderr()).not.toContain(first.password);
  const files = await readdir(first.workspace.data, { withFileTypes: true, recursive: true });
  for (const file of files.filter((each) => each.isFile())) {
    expect((await readFile(join(file.parentPath, file.name))).includes(first.password), file.name).toBe(false);
  }
});

test('a second process on the same data folder ends with one line, and the first keeps running', async () => {
  const second = first.workspace.run(['start']);
  expect(await second.ended).toBe(1);
  expect(second.stdout()).toBe('');
  expect(linesOf(second.stderr())).toEqual([expect.stringMatching(/^sluice: the data folder \S+ is in use by another Sluice/)]);
  expect((await service.as().call('GET', '/readyz')).status).toBe(200);
});

test('reset-password on a running service ends the old password and its sessions immediately', async () => {
  const old = { username: 'admin', password: first.password };
  expect((await service.as(old).call('GET', '/api/v1/account')).status).toBe(200); // cached from here on
  const signedIn = await service.as().call('POST', '/api/v1/session', old);
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  expect((await service.as({ cookie }).call('GET', '/api/v1/account')).status).toBe(200);

  const password = await resetPassword(first.workspace, 'admin');
  expect((await service.as(old).call('GET', '/api/v1/account')).status).toBe(401);
  expect((await service.as({ cookie }).call('GET', '/api/v1/account')).status).toBe(401);
  expect((await service.as({ username: 'admin', password }).call('GET', '/api/v1/account')).status).toBe(200);
});

test('reset-password works on a stopped service, and a second start prints no password', async () => {
  expect(await service.stop()).toBe(0);
  const password = await resetPassword(first.workspace);
  service = await first.workspace.start(); // with SLUICE_ADMIN_PASSWORD, which applies to the first start only
  process.stdout.write(`second start ${Math.round(service.readyMs)} ms\n`);
  expect(linesOf(service.stdout())).toEqual([`Sluice is ready at ${service.url}`]);
  expect(service.stderr()).not.toMatch(/password/i);
  expect((await service.as(admin).call('GET', '/api/v1/account')).status).toBe(401);
  expect((await service.as({ username: 'admin', password }).call('GET', '/api/v1/account')).status).toBe(200);
  expect(await service.stop()).toBe(0);
});

test('reset-password for an unknown user ends with one line', async () => {
  const reset = first.workspace.run(['user', 'reset-password', 'nobody']);
  expect(await reset.ended).toBe(1);
  expect(linesOf(reset.stderr())).toEqual(['sluice: there is no user nobody']);
});

test('SLUICE_ADMIN_PASSWORD sets the password of a first start, and SLUICE_DEMO=off omits the demo', async () => {
  const workspace = await newPlace({ demo: false });
  const started = await workspace.start({ SLUICE_DEMO: 'off' });
  expect(started.stdout() + started.stderr()).not.toMatch(/password/i);
  expect(started.stdout() + started.stderr()).not.toContain(ADMIN_PASSWORD);
  const queries = await started.as(admin).call('GET', '/api/v1/queries');
  expect([queries.status, queries.json.items]).toEqual([200, []]);
  expect((await started.as(admin).call('GET', '/api/v1/databases')).json.items).toEqual([]);
  expect(await readdir(workspace.data)).not.toContain('demo.duckdb');
  expect(await started.stop()).toBe(0);

  for (const [name, mode] of [
    ['secret', 0o640],
    ['.', 0o755],
  ] as const) {
    await chmod(join(workspace.data, name), mode);
    const refused = workspace.run(['start']);
    expect(await refused.ended).toBe(1);
    expect(linesOf(refused.stderr())).toEqual([
      expect.stringMatching(/^sluice: \S+ can be read by others; run: chmod [67]00 \S+$/),
    ]);
    await chmod(join(workspace.data, name), name === '.' ? 0o700 : 0o600);
  }
});

async function resetPassword(workspace: Workspace, ...name: string[]): Promise<string> {
  const reset = workspace.run(['user', 'reset-password', ...name]);
  expect(await reset.ended).toBe(0);
  expect(reset.stderr()).toBe('');
  const [line = '', ...others] = linesOf(reset.stdout());
  expect(others).toEqual([]);
  return PASSWORD_LINE.exec(line)?.[1] ?? '';
}
