import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { version } from '../../src/version.ts';
import { type Environment, createWorkspace, type Workspace } from '../support/services/process.ts';

let workspace: Workspace;
beforeAll(async () => {
  workspace = await createWorkspace({ demo: false });
  await writeFile(join(workspace.folder, 'unknown.yaml'), 'server:\n  prot: 8080\n');
  await writeFile(join(workspace.folder, 'broken.yaml'), 'server: [\n  port: }\n');
  await writeFile(join(workspace.folder, 'list.yaml'), '- server\n');
  await writeFile(join(workspace.folder, 'not.pem'), 'not a certificate');
});
afterAll(() => workspace.remove());

// the tests of the settings cover each one; these cover the output that an operator sees
const refused: readonly [string, Environment, RegExp][] = [
  ['an unknown setting', { SLUICE_PROT: '1' }, /unknown setting SLUICE_PROT/],
  ['a bad number', { SLUICE_PORT: 'eighty' }, /bad value "eighty" for SLUICE_PORT/],
  ['a short admin password, without showing it', { SLUICE_ADMIN_PASSWORD: 'short' }, /^(?!.*short).*SLUICE_ADMIN_PASSWORD/],
  ['an unreachable store', { SLUICE_METADATA_URL: 'postgres://u:hidden@127.0.0.1:1/x' }, /^(?!.*hidden).*ECONNREFUSED/],
  ['a proxy that is not an address', { SLUICE_TRUSTED_PROXIES: 'my proxy' }, /bad value .*my proxy.* for SLUICE_TRUSTED_PROXIES/],
  ['an unknown key in the file', { SLUICE_CONFIG: 'unknown.yaml' }, /unknown setting server\.prot in unknown\.yaml/],
  ['a file that is not YAML', { SLUICE_CONFIG: 'broken.yaml' }, /cannot read the settings file broken\.yaml/],
  ['an invalid host', { SLUICE_HOST: '999.1.1.1' }, /bad value "999\.1\.1\.1" for SLUICE_HOST/],
  ['a data folder below a file', { SLUICE_DATA: 'list.yaml/data' }, /bad value for SLUICE_DATA/],
  ['a data folder that is a file', { SLUICE_DATA: 'list.yaml' }, /list\.yaml/],
  ['a certificate that is missing', { SLUICE_TLS_CERT: 'none.pem', SLUICE_TLS_KEY: 'none.pem' }, /SLUICE_TLS_CERT.*none\.pem/],
  ['an invalid certificate', { SLUICE_TLS_CERT: 'not.pem', SLUICE_TLS_KEY: 'not.pem' }, /SLUICE_TLS_CERT/],
  ['an address of another machine', { SLUICE_HOST: '192.0.2.1' }, /cannot listen on 192\.0\.2\.1/],
];

test.for(refused)('%s stops the start with one line that names it', async ([, environment, line]) => {
  const { code, lines } = await start({ SLUICE_DEMO: 'off', ...environment });
  expect(lines).toEqual([expect.stringMatching(line)]);
  expect(lines[0]).toMatch(/^sluice: /);
  expect(code).toBe(1);
});

test.for(['1', '2'])('a port in use stops the start with one line, with %s workers', async (workers) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { code, lines } = await start({ SLUICE_DEMO: 'off', SLUICE_PORT: String(port), SLUICE_WORKERS: workers });
  other.close();
  expect(lines).toEqual([`sluice: port ${port} on 127.0.0.1 is in use; set SLUICE_PORT to another one`]);
  expect(code).toBe(1);
});

test('a failed first start still prints the generated password', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const first = workspace.run(['start'], { SLUICE_DEMO: 'off', SLUICE_DATA: 'fresh', SLUICE_PORT: String(port) });
  expect(await first.ended).toBe(1);
  other.close();
  expect(first.stdout()).toMatch(/^admin password: [A-Za-z0-9]+$/m);
  expect(first.stdout()).not.toContain('ready');
});

test('--version and --help succeed, an unknown command fails', async () => {
  const said = async (...args: string[]) => {
    const run = workspace.run(args);
    return { code: await run.ended, stdout: run.stdout(), stderr: run.stderr() };
  };
  expect(await said('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  const help = await said('--help');
  expect(help).toMatchObject({ code: 0, stderr: '' });
  expect(help.stdout).toMatch(/sluice start[\s\S]*sluice user reset-password/);
  expect(await said('dance')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'sluice: unknown command: dance (try sluice --help)\n',
  });
  expect(await said('start', 'now')).toMatchObject({ code: 1, stdout: '' });
});

async function start(environment: Environment): Promise<{ code: number | NodeJS.Signals; lines: string[] }> {
  const run = workspace.run(['start'], environment);
  const code = await run.ended;
  // ignores what the first start printed before the problem
  return {
    code,
    lines: run
      .stderr()
      .split('\n')
      .filter((line) => line !== ''),
  };
}
