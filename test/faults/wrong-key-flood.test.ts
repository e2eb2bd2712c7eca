import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { execute } from '../support/databases/postgres.ts';
import { reportFigure, percentile } from '../support/faults/figure.ts';
import { mebibytes, readResidentMemory } from '../support/faults/resident-memory.ts';
import type { WrongKeys } from '../support/faults/wrong-keys-thread.ts';
import { createKey } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { onPostgres, storeName } from '../support/services/metadata-store.ts';
import { createWorkspace, type Workspace, type ServiceProcess } from '../support/services/process.ts';
import { type ApiResponse, type List, admin, expectStatus } from '../support/services/service.ts';

// the long form: TEST_FLOOD_SECONDS=60
const SECONDS = Number(process.env.TEST_FLOOD_SECONDS ?? 3);
const long = process.env.TEST_FLOOD_SECONDS !== undefined;
const ADDRESSES = 200;
const STRANGERS = 8; // parallel connections
const PAUSE_MS = 5; // pause of the valid caller between two calls

let workspace: Workspace;
let service: ServiceProcess;
let key: string;
let small: string;
beforeAll(async () => {
  workspace = await createWorkspace();
  service = await workspace.start({ SLUICE_TRUSTED_PROXIES: '127.0.0.1' });
  const root = service.as(admin);
  small = (await publish(root, { name: 'Small', sql: 'select 42 as n' })).queryName;
  ({ key } = await createKey(root, { name: 'good' }));
});
afterAll(() => workspace.remove());

async function goodCalls(seconds: number): Promise<readonly number[]> {
  const caller = service.as({ key });
  const taken: number[] = [];
  for (const end = Date.now() + seconds * 1000; Date.now() < end;) {
    const startedAt = performance.now();
    expect((await caller.run(small, [], { 'X-Forwarded-For': '192.0.2.1' })).status).toBe(200);
    taken.push(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return taken;
}

/** Runs in a thread, so that it does not delay the valid caller in this event loop. */
async function flood(): Promise<number> {
  const workerData: WrongKeys = { url: service.url, seconds: SECONDS, addresses: ADDRESSES, connections: STRANGERS };
  const worker = new Worker(new URL('../support/faults/wrong-keys-thread.ts', import.meta.url), { workerData, execArgv: [] });
  const [{ calls, others }] = await once(worker, 'message');
  expect(others).toBe(0);
  return calls;
}

async function entriesOfStrangers(): Promise<number> {
  const auditor = service.as(admin);
  let count = 0;
  for (let cursor: string | null = ''; cursor !== null;) {
    const path: string = `/api/v1/audit?limit=1000&search=10.9.0.${cursor && `&cursor=${cursor}`}`;
    const { json }: ApiResponse<List<unknown>> = await expectStatus(auditor.call<List<unknown>>('GET', path), 200);
    count += json.items.length;
    cursor = json.nextCursor;
  }
  return count;
}

/** The size of the metadata store, of which the audit trail is nearly all that grows. */
async function trailBytes(): Promise<number> {
  if (onPostgres) {
    const [row] = await execute(workspace.store.SLUICE_METADATA_URL ?? '', "select pg_total_relation_size('audit') as bytes");
    return Number(row?.bytes);
  }
  const sizes = ['', '-wal'].map(async (ending) => (await stat(join(workspace.data, `metadata.sqlite${ending}`))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

test(
  `a flood of wrong keys from ${ADDRESSES} addresses writes few entries and hardly slows other calls`,
  { timeout: SECONDS * 4000 + 60_000 },
  async () => {
    await goodCalls(1); // warm-up
    const alone = await goodCalls(SECONDS);
    const before = await trailBytes();
    const idle = readResidentMemory(service.pid).now;
    const [beside, refused] = await Promise.all([goodCalls(SECONDS), flood()]);
    const grown = readResidentMemory(service.pid).now - idle;
    const ofStrangers = await entriesOfStrangers();
    const written = (await trailBytes()) - before;
    const p99 = [percentile(alone, 0.99), percentile(beside, 0.99)].map((ms) => `${ms.toFixed(1)} ms`);
    reportFigure(
      21,
      `${storeName}: ${refused} wrong keys in ${SECONDS} s from ${ADDRESSES} addresses: ${ofStrangers} entries, ` +
        `the trail grew by ${mebibytes(written)} (with ${beside.length} good calls), memory by ${mebibytes(grown)}; ` +
        `good calls p99 ${p99[0]} alone, ${p99[1]} beside`,
    );
    expect(refused).toBeGreaterThan(500);
    expect(ofStrangers).toBeLessThanOrEqual(Math.ceil(SECONDS / 60 + 1) * 701);
    expect(written).toBeLessThan((10 << 20) + beside.length * 2000);
    if (long) expect(percentile(beside, 0.99)).toBeLessThan(2 * percentile(alone, 0.99) + 5);
  },
);
