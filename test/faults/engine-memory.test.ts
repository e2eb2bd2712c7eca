import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { childrenOf } from '../support/databases/engine-processes.ts';
import { reportFigure } from '../support/faults/figure.ts';
import { createWorkspace, type Workspace } from '../support/services/process.ts';
import { type Caller, admin, expectStatus } from '../support/services/service.ts';

const KIB = 1024;
const MIB = 2 ** 20;
const MAPPED_MIB = 1280; // what a process maps and does not use

// over 2 GiB the number of bytes does not fit into 32 bits
describe.each([1, 4, 64])('SLUICE_ENGINE_MEMORY of %s GiB', (gibibytes) => {
  const mebibytes = gibibytes * KIB;
  let workspace: Workspace;
  beforeEach(async () => {
    workspace = await createWorkspace();
  });
  afterEach(() => workspace.remove());

  test('limits DuckDB itself and the processes of both embedded engines', async () => {
    new DatabaseSync(join(workspace.files, 'small.db')).exec('create table t (n)');
    const service = await workspace.start({ SLUICE_ENGINE_MEMORY: String(mebibytes) });
    const author = service.as(admin);
    const connection = { file: 'small.db' };
    await expectStatus(author.call('POST', '/api/v1/databases', { name: 'Small', kind: 'sqlite', connection }), 201);

    const limit = await preview(author, 'Demo', "select current_setting('memory_limit') as memory_limit");
    // DuckDB rounds down to a tenth of a GiB
    expect(mebibytesOf(limit)).toBeLessThanOrEqual(mebibytes - 256);
    expect(mebibytesOf(limit)).toBeGreaterThan(mebibytes - 256 - 104);
    await preview(author, 'Small', 'select count(*) as n from t');
    for (const program of ['duckdb/child/main.ts', 'sqlite/child/main.ts']) {
      const [id] = await childrenOf(program, service.pid);
      expect(await dataLimitOf(id), program).toBe((mebibytes + MAPPED_MIB) * MIB);
    }
    reportFigure(40, `${gibibytes} GiB: DuckDB's memory_limit is ${limit}`);
  });
});

test('the error for an engine process that was killed names its memory limit', async () => {
  const workspace = await createWorkspace();
  try {
    const service = await workspace.start({ SLUICE_ENGINE_MEMORY: '4096' });
    const author = service.as(admin);
    await preview(author, 'Demo', 'select 1 as n');
    const [id = 0] = await childrenOf('duckdb/child/main.ts', service.pid);
    const idle = await processorTicks(id);
    const slow = 'select count(*) as n from range(100000000) a, range(100000) b where (a.range * b.range) % 7 = 3';
    const running = author.call('POST', '/api/v1/queries/preview', { database: 'Demo', sql: slow });
    await expect.poll(() => processorTicks(id), { timeout: 20_000 }).toBeGreaterThan(idle + 50);
    process.kill(id, 'SIGABRT');
    expect((await running).text).toContain('more than its 4096 MiB of memory');
  } finally {
    await workspace.remove();
  }
});

/** The user time of a process. */
const processorTicks = async (id: number): Promise<number> =>
  Number((await readFile(`/proc/${id}/stat`, 'utf8')).split(') ')[1]?.split(' ')[11]);

async function preview(author: Caller, database: string, sql: string): Promise<string> {
  const body = { database, sql };
  const { json } = await expectStatus(
    author.call<{ data: Record<string, unknown>[] }>('POST', '/api/v1/queries/preview', body),
    200,
  );
  return String(Object.values(json.data[0] ?? {})[0]);
}

/** As DuckDB writes it: 767.9 MiB, 3.7 GiB. */
function mebibytesOf(text: string): number {
  const [, number, unit] = /^([\d.]+) ([MG])iB$/.exec(text) ?? [];
  return Math.round(Number(number) * (unit === 'G' ? KIB : 1));
}

async function dataLimitOf(id: number | undefined): Promise<number> {
  return Number(/^Max data size\s+(\d+)/m.exec(await readFile(`/proc/${id}/limits`, 'utf8'))?.[1]);
}
