import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Connector, MISSING_FILE } from '../../../src/connectors/connector.ts';
import { duckdb } from '../../../src/connectors/duckdb/index.ts';
import { makeDuckdbFile } from '../../support/databases/duckdb-file.ts';
import { childrenOf, isRunning } from '../../support/databases/engine-processes.ts';
import { readResidentMemory } from '../../support/faults/resident-memory.ts';
import { drain, jsonRows, createSignal, rejection } from '../connector-steps.ts';

const home = await mkdtemp(join(tmpdir(), 'duckdb-processes-'));
const scratch = join(home, 'scratch');
await mkdir(join(home, 'files'));
const template = join(home, await makeDuckdbFile(home, 'template.duckdb', ['CREATE TABLE log (number INTEGER)']));
afterAll(() => rm(home, { recursive: true, force: true }));

const MEMORY_MIB = 1024;
const processIds = (parent?: number) => childrenOf('duckdb/child/main.ts', parent);

let copies = 0;
async function openCopy(writable = false): Promise<{ connector: Connector; file: string }> {
  const file = join(home, 'files', `copy-${++copies}.duckdb`);
  await cp(template, file);
  const context = {
    fileFolders: [join(home, 'files')],
    trustedFiles: [],
    dataFolder: '/nowhere',
    scratchFolder: scratch,
    connections: 4,
    engineMemoryBytes: MEMORY_MIB * 2 ** 20,
  };
  return { connector: await duckdb.open({ name: 'test', connection: { file }, settings: {}, writable, context }), file };
}

/** Runs for minutes and can be interrupted. */
const slow = 'SELECT count(*) FROM range(100000000) a, range(100000) b WHERE (a.range * 31 + b.range) % 1000003 = 7';
/** A function call that DuckDB cannot interrupt. */
const uninterruptible = "SELECT levenshtein(repeat('a', 400000 + range::INT), repeat('b', 400000)) FROM range(1)";
/** Memory that DuckDB does not count against its own limit. */
const greedy = "SELECT repeat('x', 10000000) FROM range(10000)";

describe('the process of a DuckDB database', () => {
  let connector: Connector;
  let file: string;
  beforeEach(async () => {
    ({ connector, file } = await openCopy());
  });
  afterEach(async () => {
    await connector.close();
    expect(await processIds()).toEqual([]);
    expect(await readdir(scratch).catch(() => [])).toEqual([]);
  });

  const run = (sql: string, timeoutMs = 60_000, signal = createSignal()) =>
    connector.run({ sql, parameters: [] }, { timeoutMs }, signal);
  const responses = async () => expect(await jsonRows(await run('SELECT 1'))).toEqual([['1']]);

  test('is started on demand and runs all queries', async () => {
    expect(await processIds()).toEqual([]);
    const lengths = Array.from({ length: 20 }, async (_, i) => (await jsonRows(await run(`FROM range(${i})`))).length - i);
    expect(new Set(await Promise.all(lengths))).toEqual(new Set([0]));
    expect(await processIds()).toHaveLength(1);
  });

  test('keeps running when an interruptible query is cancelled or times out', async () => {
    await responses();
    const before = await processIds();
    expect((await rejection(drain(run(slow, 100)))).kind).toBe('timeout');
    await responses();
    expect(await processIds()).toEqual(before);
  });

  test('is killed when a query ignores its timeout, and the next call starts another', async () => {
    const other = rejection(drain(run(slow)));
    await responses();
    const [before] = await processIds();
    const own = await rejection(drain(run(uninterruptible, 200)));
    expect(own.kind).toBe('timeout');
    expect(await other).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('call again') });
    await responses();
    const [after] = await processIds();
    expect(after).not.toBe(before);
  });

  test('is killed when a query ignores its cancellation', async () => {
    await responses();
    const [before] = await processIds();
    const abort = new AbortController();
    const left = rejection(drain(run(uninterruptible, 60_000, abort.signal)));
    // past the preparation, which can be interrupted
    await expect.poll(() => busyMs(before ?? 0), { timeout: 60_000 }).toBeGreaterThan((await busyMs(before ?? 0)) + 1000);
    abort.abort();
    expect((await left).kind).toBe('cancelled');
    await responses();
    expect(await processIds()).not.toContain(before);
  });

  test('is killed at its memory limit, which includes all of its memory', async () => {
    await responses();
    let peak = 0;
    const [id = 0] = await processIds();
    const looking = setInterval(() => {
      if (isRunning(id)) peak = Math.max(peak, readResidentMemory(id).now || 0);
    }, 10);
    expect((await rejection(drain(run(greedy)))).kind).toMatch(/failed|unavailable/);
    clearInterval(looking);
    expect(peak / 2 ** 20).toBeLessThan(MEMORY_MIB + 640);
    // DuckDB may have refused the query itself; then the next check of its memory may still end the process
    await expect.poll(() => responses().catch(() => null)).not.toBeNull();
  });

  test('fails its queries when it crashes, and the next call starts another', async () => {
    const running = [rejection(drain(run(slow))), rejection(drain(run(slow)))];
    await responses();
    for (const id of await processIds()) process.kill(id, 'SIGKILL');
    for (const { kind } of await Promise.all(running)) expect(kind).toBe('unavailable');
    await responses();
  });

  test('is not started when the file is missing or was replaced by a link', async () => {
    await rm(file);
    expect(await rejection(connector.ping(createSignal()))).toMatchObject({
      kind: 'unavailable',
      message: MISSING_FILE,
      isForAuthors: true,
    });
    await symlink(template, file);
    expect(await rejection(connector.ping(createSignal()))).toMatchObject({ kind: 'unavailable', message: /link/ });
    await rm(file);
    await cp(template, file);
    await responses();
  });

  test('does not inherit the environment', async () => {
    process.env.CANARY_SECRET = 'hush';
    await responses();
    delete process.env.CANARY_SECRET;
    const environment = await readFile(`/proc/${(await processIds())[0]}/environ`, 'utf8');
    expect(environment).toContain('TZ=UTC');
    expect(environment).not.toMatch(/CANARY_SECRET|HOME=/);
  });

  test('fails a row that is too large', async () => {
    const wide = `SELECT ${Array.from({ length: 40 }, (_, i) => `repeat('x', 4000000) AS c${i}`).join(', ')} FROM range(1)`;
    expect(await rejection(drain(run(wide)))).toMatchObject({ kind: 'failed', message: expect.stringContaining('128 MiB') });
    await responses();
  });
});

test('an Epilogue of a killed process is not committed, and the file can be read again', async () => {
  const { connector } = await openCopy(true);
  const statement = { sql: 'SELECT 1', epilogue: `INSERT INTO log ${uninterruptible}`, parameters: [] };
  expect((await rejection(drain(connector.run(statement, { timeoutMs: 500 }, createSignal())))).kind).toBe('timeout');
  const count = await connector.run({ sql: 'SELECT count(*) FROM log', parameters: [] }, { timeoutMs: 60_000 }, createSignal());
  expect(await jsonRows(count)).toEqual([['0']]);
  await connector.close();
});

test('the process ends with the service, also when the service is killed during a query', async () => {
  const file = join(home, 'files', 'orphaned.duckdb');
  await cp(template, file);
  const program = fileURLToPath(new URL('../../support/databases/embedded-service-process.ts', import.meta.url));
  const service = spawn(process.execPath, [program, 'duckdb', file, uninterruptible], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(service.stdout, 'data');
  const children = await processIds(service.pid);
  expect(children).toHaveLength(1);
  service.kill('SIGKILL');
  await expect.poll(() => children.some(isRunning)).toBe(false);
});

/** Processor time used since the previous call. */
/** Processor time. */
async function busyMs(id: number): Promise<number> {
  const fields = (await readFile(`/proc/${id}/stat`, 'utf8')).replace(/^.*\) /s, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
