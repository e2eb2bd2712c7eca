import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { reportFigure, percentile } from '../support/faults/figure.ts';
import { type HostileStatement, createHostileStatements } from '../support/faults/hostile-statements.ts';
import { mebibytes, readResidentTree } from '../support/faults/resident-memory.ts';
import { createQueryUser } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { createWorkspace, type Workspace, type ServiceProcess } from '../support/services/process.ts';
import { type Caller, admin, expectStatus } from '../support/services/service.ts';

// a long run sets 600; 0 runs each quick statement once
const SECONDS = Number(process.env.TEST_HOSTILE_SECONDS ?? 0);
const CONCURRENCY = 3;
const ENGINE_MIB = 512;
// the service, one DuckDB process per file and four SQLite processes per file; an engine may exceed its limit for 100 ms
const MAX_MIB = 400 + 2 * (ENGINE_MIB + 512) + 8 * 128 + ENGINE_MIB;

/** A preview may succeed, be invalid, time out, be too large, lose its engine process, or exceed a limit of the user. */
const EXPECTED_STATUSES: ReadonlySet<number> = new Set([200, 400, 413, 422, 429, 500, 503, 504]);

describe('an author whose previews use excessive memory and time', () => {
  let workspace: Workspace;
  let service: ServiceProcess;
  let author: Caller;
  let reader: Caller;
  let names: { readonly attacked: string; readonly others: readonly string[]; readonly uninterruptible: string };
  beforeAll(async () => {
    workspace = await createWorkspace();
    service = await workspace.start({ SLUICE_ENGINE_MEMORY: String(ENGINE_MIB) });
    const administrator = service.as(admin);
    await copyFile(inject('demoFile'), join(workspace.files, 'other.duckdb'));
    for (const name of ['attacked.db', 'other.db'])
      new DatabaseSync(join(workspace.files, name)).exec('CREATE TABLE t (n); INSERT INTO t VALUES (1)');
    const add = (name: string, kind: string, file: string) =>
      expectStatus(administrator.call('POST', '/api/v1/databases', { name, kind, connection: { file } }), 201);
    await add('Other DuckDB', 'duckdb', 'other.duckdb');
    await add('Other SQLite', 'sqlite', 'other.db');
    await add('SQLite', 'sqlite', 'attacked.db');
    const plain = (name: string, database: string) => publish(administrator, { name, database, sql: 'select 42 as n' });
    names = {
      attacked: (await plain('Attacked', 'Demo')).queryName,
      others: [(await plain('Duck', 'Other DuckDB')).queryName, (await plain('Lite', 'Other SQLite')).queryName],
      uninterruptible: (await publish(administrator, { name: 'Uninterruptible', sql: uninterruptibleSql, timeoutSeconds: 1 }))
        .queryName,
    };
    author = (await createQueryUser(service, 'author', { roles: ['Query Author'] })).caller;
    reader = (await createQueryUser(service, 'reader')).caller;
  });
  afterAll(() => workspace?.remove());

  test('gets an error that names the memory limit', async () => {
    const sql = "select length(repeat('abcdefghij', 400000000 + range::int)) as n from range(1)";
    const { status, text } = await author.call('POST', '/api/v1/queries/preview', { database: 'Demo', sql });
    expect([400, 503], text).toContain(status);
    expect(text).toMatch(/memory/i);
  });

  test('does not stop the service or the calls of another user', { timeout: 180_000 + SECONDS * 2_000 }, async () => {
    const watch = watchMemory(service.pid);
    const startedAt = performance.now();
    let attacks = 0;
    const attack = async ({ database, sql }: HostileStatement) => {
      const { status, text } = await author.call('POST', '/api/v1/queries/preview', { database, sql });
      attacks++;
      expect(EXPECTED_STATUSES, `${sql.slice(0, 100)}: ${text.slice(0, 300)}`).toContain(status);
    };
    let attacking = true;
    const attackers = Array.from({ length: CONCURRENCY }, async (_, first) => {
      do {
        for (let at = first; at < statements.length; at += CONCURRENCY) await attack(statements[at] ?? statements[0]);
      } while (performance.now() - startedAt < SECONDS * 1000);
    });
    const runUninterruptible = async () => {
      do expect((await author.run(names.uninterruptible)).status).not.toBe(200);
      while (performance.now() - startedAt < SECONDS * 1000);
    };
    const outcomes: { name: string; status: number; ms: number }[] = [];
    const readers = [...names.others, names.attacked, null].map(async (name) => {
      while (attacking) {
        const started = performance.now();
        const { status } = name === null ? await reader.call('GET', '/livez') : await reader.run(name);
        outcomes.push({ name: name ?? 'livez', status, ms: performance.now() - started });
        await sleep(50); // a few calls per second
      }
    });
    await Promise.all([...attackers, runUninterruptible()]).finally(() => {
      attacking = false;
    });
    await Promise.all(readers);
    const peak = watch.end();

    const outcomesOf = (name: string) => outcomes.filter((each) => each.name === name);
    for (const name of [...names.others, 'livez'])
      expect(new Set(outcomesOf(name).map(({ status }) => status))).toEqual(new Set([200]));
    expect([200, 503]).toEqual(expect.arrayContaining([...new Set(outcomesOf(names.attacked).map(({ status }) => status))]));
    await expect.poll(async () => (await reader.run(names.attacked)).status).toBe(200);
    expect(peak / 2 ** 20).toBeLessThan(MAX_MIB);
    const slowest = Math.max(...outcomesOf('livez').map(({ ms }) => ms));
    const elsewhere = outcomes.filter(({ name }) => name !== names.attacked);
    const sameFile = outcomesOf(names.attacked);
    reportFigure(
      20,
      `${attacks} hostile previews: ${elsewhere.length} other calls all succeeded, p99 ${Math.round(
        percentile(
          elsewhere.map(({ ms }) => ms),
          0.99,
        ),
      )} ms, ` +
        `/livez ${Math.round(slowest)} ms at most; ${sameFile.filter(({ status }) => status === 200).length} of ${sameFile.length} calls to the same database succeeded, the others got 503; ` +
        `all processes at most ${mebibytes(peak)}, each engine limited to ${ENGINE_MIB} MiB`,
    );
  });
});

/** A function call that DuckDB cannot interrupt, on a value that is not constant: preparing must not evaluate it. */
const uninterruptibleSql = "select levenshtein(repeat('a', 400000 + range::int), repeat('b', 400000)) as n from range(1)";

const statements = createHostileStatements({ duckdb: 'Demo', sqlite: 'SQLite' }, { slow: SECONDS > 0 });

/** Samples the memory of a process and its children; `end` returns the peak. */
function watchMemory(pid: number): { end(): number } {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, readResidentTree(pid));
  }, 50);
  return {
    end() {
      clearInterval(timer);
      return peak;
    },
  };
}
