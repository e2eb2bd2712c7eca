import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copiedTables } from '../../src/store/sql/copy.ts';
import { createDatabase } from '../support/databases/postgres.ts';
import { createApplication } from '../support/people/accounts.ts';
import { sign } from '../support/people/viewers.ts';
import { publish } from '../support/queries/publish.ts';
import { createWorkspace, type Workspace, type ServiceProcess } from '../support/services/process.ts';
import { admin } from '../support/services/service.ts';

const PASSPHRASE = 'four words and more';
const limits = { rowsPerDay: 1_000_000_000, concurrent: 100 };
const SECRET = 'canary-password-of-a-database';

let workspace: Workspace;
let service: ServiceProcess;
let key: string;
let queryName: string;
let applicationId: string;
let signingSecret: string;
beforeAll(async () => {
  workspace = await createWorkspace();
  service = await workspace.start();
  const root = service.as(admin);
  ({ queryName } = await publish(root, { name: 'Kept', sql: 'select 42 as answer', note: 'Kept, too' }));
  const connection = { host: '127.0.0.1', port: 1, user: 'u', password: SECRET, database: 'd' };
  await root.call('POST', '/api/v1/databases', { name: 'Far', kind: 'postgres', connection });
  key = (await root.call<{ key: string }>('POST', '/api/v1/account/api-keys', { name: 'kept', limits })).json.key;
  ({ id: applicationId } = await createApplication(service, 'portal'));
  const path = `/api/v1/users/${applicationId}`;
  signingSecret = (await root.call<{ secret: string }>('PUT', `${path}/signing-keys`, { secret: true })).json.secret;
  await root.call('POST', `${path}/viewers/mallory/block`);
});
afterAll(() => workspace.remove());

const sluice = async (args: readonly string[], environment: Record<string, string> = {}) => {
  const run = workspace.run(args, environment);
  return { code: await run.ended, output: run.stdout() + run.stderr() };
};
const generationOf = (folder: string): unknown[] => {
  const store = new DatabaseSync(join(folder, 'metadata.sqlite'), { readOnly: true });
  const rows = store.prepare('select value > 10 as grown from catalog_generation').all();
  store.close();
  return rows;
};
const written = (text: string): number => Number(/^(\d+) rows/m.exec(text)?.[1]);

test('copies every table except those local to a store', () => {
  const store = new DatabaseSync(join(workspace.data, 'metadata.sqlite'), { readOnly: true });
  const tables = store.prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'").all();
  store.close();
  const own = ['catalog_generation', 'data_files', 'executions', 'guesses', 'leases', 'migrations', 'query_changes'];
  expect(tables.map(({ name }) => name).sort()).toEqual([...copiedTables, ...own].sort());
});

describe.each([
  ['SQLite', async () => ''],
  ['PostgreSQL', async () => createDatabase()],
])('a backup taken under load, restored on %s', (_, storeUrl) => {
  test('has the same catalog, keys and audit trail', async () => {
    const file = join(workspace.folder, `under-load-${_}.backup`);
    let busy = true;
    const seen: string[] = [];
    const load = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (busy) {
          const { status, headers } = await service.as({ key }).run(queryName);
          if (status === 200) seen.push(headers.get('x-request-id') ?? '');
        }
      }),
    );
    await expect.poll(() => seen.length).toBeGreaterThan(20);
    const before = [...seen];
    const taken = await sluice(['backup', file], { SLUICE_BACKUP_PASSPHRASE: PASSPHRASE });
    busy = false;
    await load;
    expect([taken.code, taken.output]).toEqual([0, expect.stringContaining('encrypted')]);
    expect(written(taken.output)).toBeGreaterThan(100);
    expect((await readFile(file)).includes(SECRET)).toBe(false);

    const url = await storeUrl();
    const elsewhere = {
      SLUICE_DATA: join(workspace.folder, `restored-${_}`),
      ...(url === '' ? {} : { SLUICE_METADATA_URL: url }),
    };
    const restored = await sluice(['restore', file], { ...elsewhere, SLUICE_BACKUP_PASSPHRASE: PASSPHRASE });
    expect([restored.code, restored.output]).toEqual([0, expect.stringContaining('Restored')]);
    if (url === '') expect(generationOf(elsewhere.SLUICE_DATA)).toEqual([{ grown: 1 }]); // the triggers ran for the restored rows
    const other = await workspace.start(elsewhere);
    expect((await other.as({ key }).run(queryName)).json).toMatchObject({ Data: [{ answer: 42 }] });
    const viewerStatus = async (sub: string): Promise<number> => {
      const claims = { iss: applicationId, aud: other.url, sub };
      const token = await sign({ alg: 'HS256', key: Buffer.from(signingSecret, 'base64url') }, claims);
      return (await other.as({ token }).run(queryName)).status;
    };
    expect([await viewerStatus('ana'), await viewerStatus('mallory')], 'of an application').toEqual([200, 401]);
    const keys = await other.as(admin).call<{ items: unknown[] }>('GET', '/api/v1/account/api-keys');
    expect(keys.json.items).toMatchObject([{ name: 'kept', limits }]);
    for (const id of [before[0], before.at(-1)]) {
      const { json } = await other.as(admin).call<{ items: unknown[] }>('GET', `/api/v1/audit?requestId=${id}`);
      expect(json.items).toHaveLength(1);
    }
    const catalogOf = async (from: ServiceProcess) => {
      const { json } = await from.as(admin).call<{ items: { lastRunAt: string | null }[] }>('GET', '/api/v1/queries?limit=1000');
      return json.items.map((query) => ({ ...query, lastRunAt: query.lastRunAt !== null })); // queries have run on both since then
    };
    expect(await catalogOf(other)).toEqual(await catalogOf(service));
    expect(await other.stop()).toBe(0);

    const again = await sluice(['restore', file], { ...elsewhere, SLUICE_BACKUP_PASSPHRASE: PASSPHRASE });
    expect([again.code, again.output]).toEqual([1, expect.stringContaining('in use already')]);
  }, 120_000);
});

test('a backup without a passphrase contains no secret, and a restore needs the secret in place', async () => {
  const file = join(workspace.folder, 'plain.backup');
  const taken = await sluice(['backup', file]);
  expect([taken.code, taken.output]).toEqual([0, expect.stringContaining('does not contain the secret')]);
  const elsewhere = { SLUICE_DATA: join(workspace.folder, 'without-secret'), SLUICE_METADATA_URL: '' };
  expect((await sluice(['restore', file], elsewhere)).output).toContain('put the secret file');
});

test('restores a backup of an earlier version, which has one row per line', async () => {
  const [file, earlier] = [join(workspace.folder, 'current.backup'), join(workspace.folder, 'earlier.backup')];
  expect((await sluice(['backup', file])).code).toBe(0);
  const [header = '', ...lines] = zstdDecompressSync(await readFile(file))
    .toString()
    .trim()
    .split('\n');
  const rows = lines.slice(0, -1).flatMap((line) => {
    const [table, columns, cells]: [string, string[], unknown[][]] = JSON.parse(line);
    return cells.map((row) => JSON.stringify([table, Object.fromEntries(columns.map((column, i) => [column, row[i]]))]));
  });
  const content = [JSON.stringify({ ...JSON.parse(header), format: 1 }), ...rows, lines.at(-1), ''].join('\n');
  await writeFile(earlier, gzipSync(content));
  const elsewhere = { SLUICE_DATA: join(workspace.folder, 'from-earlier'), SLUICE_METADATA_URL: '' };
  await mkdir(elsewhere.SLUICE_DATA, { mode: 0o700 });
  await copyFile(join(workspace.data, 'secret'), join(elsewhere.SLUICE_DATA, 'secret'));
  const restored = await sluice(['restore', earlier], elsewhere);
  expect([restored.code, restored.output]).toEqual([0, expect.stringContaining('Restored')]);
  const again = await sluice(['backup', join(workspace.folder, 'again.backup')], elsewhere);
  expect(written(again.output)).toBe(rows.length);
});

test('reports a changed, truncated or locked backup without restoring anything', async () => {
  const file = join(workspace.folder, 'whole.backup');
  await sluice(['backup', file], { SLUICE_BACKUP_PASSPHRASE: PASSPHRASE });
  const bytes = await readFile(file);
  const flipped = Buffer.from(bytes);
  flipped[bytes.length >> 1] = (flipped[bytes.length >> 1] ?? 0) ^ 1;
  const cases: [string, Buffer, string, string][] = [
    ['flipped', flipped, PASSPHRASE, 'damaged'],
    ['short', bytes.subarray(0, bytes.length - 100), PASSPHRASE, 'damaged'],
    ['wrong', bytes, 'another passphrase', 'the passphrase is wrong'],
    ['locked', bytes, '', 'is encrypted'],
    ['nonsense', Buffer.from('hello'), '', 'damaged'],
  ];
  for (const [name, content, passphrase, word] of cases) {
    const copy = join(workspace.folder, `${name}.backup`);
    await writeFile(copy, content);
    const environment = { SLUICE_DATA: join(workspace.folder, `to-${name}`), SLUICE_BACKUP_PASSPHRASE: passphrase };
    const { code, output } = await sluice(['restore', copy], environment);
    expect([name, code, output]).toEqual([name, 1, expect.stringContaining(word)]);
    expect(output.trim().split('\n')).toHaveLength(1);
  }
});

test('doctor reports a healthy installation and its problems', async () => {
  const well = await sluice(['doctor']);
  expect(well.output).toMatch(/^ok +metadata store: 2 users; queries: .*Active/m);
  expect(well.output).toMatch(/^ok +database Demo \(duckdb\): answers/m);
  expect(well.output).toMatch(/^FAIL +database Far \(postgres\)/m);
  expect(well.output).not.toContain(SECRET);
  expect(well.code).toBe(1); // because of the database Far
  const archived = await sluice(['doctor'], { SLUICE_AUDIT_ARCHIVE: workspace.files });
  expect(archived.output).toContain(`ok    audit archive: ${workspace.files} can be written`);
  const unknown = await sluice(['doctor'], { SLUICE_WORDS: '1' });
  expect([unknown.code, unknown.output]).toEqual([1, expect.stringMatching(/^FAIL +settings: unknown setting SLUICE_WORDS/m)]);
});
