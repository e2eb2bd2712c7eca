import { once } from 'node:events';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { version } from '../../src/core/version.ts';
import { createDatabase, execute } from '../support/databases/postgres.ts';
import { selfSigned } from '../support/http/self-signed.ts';
import { type Environment, createWorkspace, type Workspace } from '../support/services/process.ts';
import { startS3 } from '../support/services/s3-server.ts';
import { admin, expectStatus } from '../support/services/service.ts';

let workspace: Workspace;
beforeAll(async () => {
  workspace = await createWorkspace({ demo: false });
  await writeFile(join(workspace.folder, 'unknown.yaml'), 'server:\n  prot: 8080\n');
  await writeFile(join(workspace.folder, 'broken.yaml'), 'server: [\n  port: }\n');
  await writeFile(join(workspace.folder, 'list.yaml'), '- server\n');
  await writeFile(join(workspace.folder, 'not.pem'), 'not a certificate');
  const [one, other] = [await selfSigned('localhost'), await selfSigned('localhost')];
  await writeFile(join(workspace.folder, 'one.pem'), one.certificate);
  await writeFile(join(workspace.folder, 'other-key.pem'), other.key);
  await mkdir(join(workspace.folder, 'loose'), { mode: 0o755 });
  await chmod(join(workspace.folder, 'loose'), 0o755);
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
  ['a key of another certificate', { SLUICE_TLS_CERT: 'one.pem', SLUICE_TLS_KEY: 'other-key.pem' }, /SLUICE_TLS_CERT.*mismatch/],
  ['a data folder where none can be created', { SLUICE_DATA: '/proc/x' }, /bad value for SLUICE_DATA.*\/proc\/x/],
  ['a data folder that others can read', { SLUICE_DATA: 'loose' }, /can be read by others; run: chmod 700/],
  ['a base URL that is none', { SLUICE_BASE_URL: 'nonsense' }, /bad value "nonsense" for SLUICE_BASE_URL/],
  ['a settings file that is missing', { SLUICE_CONFIG: 'none.yaml' }, /cannot read the settings file none\.yaml/],
  ['a settings file without keys', { SLUICE_CONFIG: 'list.yaml' }, /list\.yaml/],
  ['another kind of metadata store', { SLUICE_METADATA_URL: 'mysql://u:hidden@h/x' }, /^(?!.*hidden).*SLUICE_METADATA_URL/],
  ['an unknown host', { SLUICE_METADATA_URL: 'postgres://u:hidden@none.invalid/x' }, /^(?!.*hidden).*none\.invalid/],
  ['an address of another machine', { SLUICE_HOST: '192.0.2.1' }, /cannot listen on 192\.0\.2\.1/],
];

test.for(refused)('%s stops the start with one line that names it', async ([, environment, line]) => {
  await expectRefusal(['start'], environment, line);
});

const commands = [
  ['backup', 'new.backup'],
  ['audit', 'export', 'new.csv'],
  ['user', 'reset-password'],
  ['secrets', 'rotate'],
  ['secrets', 'drop-old'],
] as const;

test.for(commands)('%s %s without its installation or its store fails with one line', async (command) => {
  await expectRefusal(command, { SLUICE_DATA: 'absent', SLUICE_METADATA_URL: '' }, /there is no installation in absent/);
  const unreachable = { SLUICE_METADATA_URL: 'postgres://u:hidden@127.0.0.1:1/x' };
  await expectRefusal(command, unreachable, /^(?!.*hidden).*metadata store cannot be used: connect ECONNREFUSED 127\.0\.0\.1:1/);
});

describe.each([
  ['SQLite', async (): Promise<Environment> => ({ SLUICE_METADATA_URL: '' })],
  ['PostgreSQL', async (): Promise<Environment> => ({ SLUICE_METADATA_URL: await createDatabase() })],
])('an installation on %s', (store, settingsOf) => {
  const data = `installed-${store}`;
  let installed: Environment;
  beforeAll(async () => {
    installed = { SLUICE_DEMO: 'off', SLUICE_DATA: data, ...(await settingsOf()) };
    const service = await workspace.start(installed);
    const connection = { host: '127.0.0.1', port: 1, user: 'u', password: 'p', database: 'd' };
    await expectStatus(service.as(admin).call('POST', '/api/v1/databases', { name: 'Far', kind: 'postgres', connection }), 201);
    const backup = workspace.run(['backup', `${store}.backup`], {
      ...installed,
      SLUICE_BACKUP_PASSPHRASE: 'four words and more',
    });
    expect(await backup.ended, backup.stderr()).toBe(0);
    if (store === 'SQLite') await expectRefusal(['start'], installed, /is in use by another Sluice/);
    expect(await service.stop()).toBe(0);
  });

  test('refuses to be restored into, with or without the secret of the backup', async () => {
    const before = await readFile(join(workspace.folder, data, 'secret'), 'utf8');
    for (const SLUICE_BACKUP_PASSPHRASE of ['four words and more', 'some other words']) {
      const line = SLUICE_BACKUP_PASSPHRASE === 'some other words' ? /passphrase is wrong/ : /in use already/;
      await expectRefusal(['restore', `${store}.backup`], { ...installed, SLUICE_BACKUP_PASSPHRASE }, line);
    }
    expect(await readFile(join(workspace.folder, data, 'secret'), 'utf8')).toBe(before);
  });

  test('refuses a restore of files that are no backup', async () => {
    const into = { SLUICE_DATA: `into-${store}` };
    await expectRefusal(['restore', 'not.pem'], into, /not\.pem is damaged or truncated/);
    await expectRefusal(['restore', 'loose'], into, /cannot read loose/);
    await expectRefusal(['restore', 'absent.backup'], into, /cannot read absent\.backup/);
  });

  test('refuses to start with another secret, and creates none in its place', async () => {
    const file = join(workspace.folder, data, 'secret');
    const secret = await readFile(file);
    const other = { ...installed, SLUICE_SECRET: Buffer.alloc(32, 7).toString('base64') };
    await expectRefusal(['start'], other, /the secret in SLUICE_SECRET is not the one of this metadata store/);
    await rm(file);
    const missing = store === 'SQLite' ? /the secret file .* is missing/ : /is not the one of this metadata store/;
    await expectRefusal(['start'], installed, missing);
    await writeFile(file, secret, { mode: 0o600 });
  });

  test('refuses the store of a newer version', async () => {
    const newer = "insert into migrations (name, at) values ('9999-later', 0)";
    const { SLUICE_METADATA_URL: url = '' } = installed;
    if (url !== '') await execute(url, newer);
    else new DatabaseSync(join(workspace.folder, data, 'metadata.sqlite')).exec(newer);
    await expectRefusal(['start'], installed, /written by a newer version \(9999-later\)/);
    await expectRefusal(['backup', 'newer.backup'], installed, /written by a newer version/);
  });
});

test('a metadata database, a user or a password that is wrong stops the start with its cause', async () => {
  const url = new URL(await createDatabase());
  url.pathname = '/absent';
  await expectRefusal(['start'], { SLUICE_METADATA_URL: url.href }, /database "absent" does not exist/);
});

test('an object store that refuses requests stops the start; one that is unreachable does not', async () => {
  const s3 = await startS3();
  try {
    const environment = { SLUICE_DATA: 'with-objects', ...s3.settings };
    const absent = { ...environment, SLUICE_OBJECT_STORE: 's3://no-such-bucket' };
    await expectRefusal(['start'], absent, /object store s3:\/\/no-such-bucket\/ at .* cannot be used: NoSuchBucket/);
    s3.fault = () => ({ status: 403, code: 'InvalidAccessKeyId' });
    await expectRefusal(['start'], environment, /cannot be used: InvalidAccessKeyId/);
    await s3.stop();
    const service = await workspace.start({ SLUICE_DEMO: 'off', ...environment });
    expect(service.stderr()).toMatch(/object store .* cannot be used: .*ECONNREFUSED/);
    await service.kill();
  } finally {
    await s3.remove();
  }
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
  const environment = { SLUICE_DEMO: 'off', SLUICE_DATA: 'fresh', SLUICE_METADATA_URL: '', SLUICE_PORT: String(port) };
  const first = workspace.run(['start'], environment);
  expect(await first.ended).toBe(1);
  other.close();
  expect(first.stdout()).toMatch(/^admin password: [A-Za-z0-9]+$/m);
  expect(first.stdout()).not.toContain('ready');
});

test('--version and --help succeed, an unknown command fails', async () => {
  const runCommand = async (...args: string[]) => {
    const run = workspace.run(args);
    return { code: await run.ended, stdout: run.stdout(), stderr: run.stderr() };
  };
  expect(await runCommand('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  const help = await runCommand('--help');
  expect(help).toMatchObject({ code: 0, stderr: '' });
  expect(help.stdout).toMatch(/sluice start[\s\S]*sluice user reset-password/);
  expect(await runCommand('dance')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'sluice: unknown command: dance (try sluice --help)\n',
  });
  expect(await runCommand('start', 'now')).toMatchObject({ code: 1, stdout: '' });
});

async function expectRefusal(args: readonly string[], environment: Environment, line: RegExp): Promise<void> {
  const { code, lines } = await run(args, { SLUICE_DEMO: 'off', ...environment });
  expect(lines).toEqual([expect.stringMatching(line)]);
  expect(lines[0]).toMatch(/^sluice: /);
  expect(code).toBe(1);
}

const start = (environment: Environment) => run(['start'], environment);

async function run(
  args: readonly string[],
  environment: Environment,
): Promise<{ code: number | NodeJS.Signals; lines: string[] }> {
  const started = workspace.run(args, environment);
  const code = await started.ended;
  // ignores what the first start printed before the problem
  return {
    code,
    lines: started
      .stderr()
      .split('\n')
      .filter((line) => line !== ''),
  };
}
