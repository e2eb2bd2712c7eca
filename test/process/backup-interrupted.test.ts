import { copyFile, readdir, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { execute } from '../support/databases/postgres.ts';
import { reportFigure } from '../support/faults/figure.ts';
import { mountSmallDisk } from '../support/faults/small-disk.ts';
import { onPostgres, storeName } from '../support/services/metadata-store.ts';
import { createWorkspace, type RunningProcess, type ServiceProcess, type Workspace } from '../support/services/process.ts';
import { admin } from '../support/services/service.ts';

// the long form: TEST_BACKUP_ENTRIES=2000000
const ENTRIES = Number(process.env.TEST_BACKUP_ENTRIES ?? 100_000);
const TIMEOUT = 120_000 + ENTRIES / 5;

let workspace: Workspace;
let service: ServiceProcess;
let folder: string; // of the backups
beforeAll(async () => {
  workspace = await createWorkspace();
  service = await workspace.start();
  await fill();
  folder = join(workspace.folder, 'backups');
  await mkdir(folder);
}, TIMEOUT);
afterAll(() => workspace.remove());

const columns = `at, request_id, user_id, user_name, user_key, action, query, query_version, parameters, channel, outcome, status,
  row_count, byte_count, duration_ms, address, client, search_text`;
const values = `1790000000000 + i, 'request-' || i, 'a user', 'ann', 'ann', 'query.execute', 'QD_Sales_Demo', 3, '{"@Region":"North"}', 'rest', 'ok', 200,
  1000, 123456, 12, '10.0.0.17', 'python-requests/2.32', 'ann qd_sales_demo north 10.0.0.17 python-requests/2.32'`;

async function fill(): Promise<void> {
  const { SLUICE_METADATA_URL: url } = workspace.store;
  if (url !== undefined) {
    await execute(url, 'select add_audit_month(1790000000000)');
    await execute(url, `insert into audit (${columns}) select ${values} from generate_series(1, ${ENTRIES}) as i`);
    return;
  }
  const store = new DatabaseSync(join(workspace.data, 'metadata.sqlite'), { timeout: 10_000 });
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ENTRIES})`;
  store.exec(`${numbers} insert into audit (${columns}) select ${values} from n`);
  store.close();
}

async function begin(): Promise<RunningProcess> {
  const running = workspace.run(['backup', join(folder, 'new.backup')]);
  await expect.poll(() => readdir(folder), { timeout: 60_000, interval: 5 }).not.toEqual([]);
  return running;
}

test.for(['SIGINT', 'SIGTERM'] as const)('%s leaves nothing of a backup', { timeout: TIMEOUT }, async (signal) => {
  const running = await begin();
  running.signal(signal);
  expect(await running.ended).toBe(1);
  expect(running.stderr()).toMatch(/^sluice: interrupted by SIG[A-Z]+; .*new\.backup was not written\n$/);
  expect(await readdir(folder)).toEqual([]);
});

test('a killed backup leaves a temporary file, which the next one removes', { timeout: TIMEOUT }, async () => {
  const running = workspace.run(['backup', join(folder, 'new.backup')]);
  const partial = () => readdir(folder).then(([name = '']) => name);
  await expect.poll(partial, { timeout: 60_000, interval: 5 }).toMatch(/^new\.backup\.sluice-partial-/);
  // the command is a shell that runs Node
  process.kill(Number(/-(\d+)$/.exec(await partial())?.[1]), 'SIGKILL');
  await running.ended;
  expect(await readdir(folder)).toEqual([expect.stringMatching(/^new\.backup\.sluice-partial-/)]);

  let calls = 0;
  let isRunning = true;
  const next = workspace.run(['backup', join(folder, 'other.backup')]);
  const startedAt = performance.now();
  void next.ended.then(() => {
    isRunning = false;
  });
  while (isRunning) {
    expect((await service.as(admin).call('GET', '/api/v1/account')).status).toBe(200);
    calls++;
  }
  expect(await next.ended, next.stderr()).toBe(0);
  const seconds = (performance.now() - startedAt) / 1000;
  expect(await readdir(folder)).toEqual(['other.backup']);
  const copied = onPostgres ? '' : `, a plain copy ${(await copySeconds()).toFixed(1)} s`;
  reportFigure(45, `${storeName}: ${ENTRIES} entries backed up in ${seconds.toFixed(1)} s${copied}; ${calls} calls meanwhile`);
});

async function copySeconds(): Promise<number> {
  const startedAt = performance.now();
  await copyFile(join(workspace.data, 'metadata.sqlite'), join(workspace.folder, 'plain-copy'));
  return (performance.now() - startedAt) / 1000;
}

test('a full disk is one line and leaves nothing', { timeout: TIMEOUT }, async () => {
  const small = join(workspace.folder, 'small');
  const disk = await mountSmallDisk(small, 1);
  if (typeof disk === 'string') return reportFigure(45, `not tried: ${disk}`);
  try {
    disk.fill();
    for (const args of [
      ['backup', join(small, 'new.backup')],
      ['audit', 'export', join(small, 'new.csv')],
    ]) {
      const running = workspace.run(args);
      expect(await running.ended).toBe(1);
      expect(running.stderr()).toMatch(/^sluice: cannot write .*: ENOSPC: no space left on device.*\n$/);
      expect(await readdir(small)).toEqual(['filler']);
    }
  } finally {
    await disk.remove();
  }
});
