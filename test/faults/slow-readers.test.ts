import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reportFigure, percentile } from '../support/faults/figure.ts';
import { mebibytes, readResidentMemory } from '../support/faults/resident-memory.ts';
import { countLines, executionsOf } from '../support/queries/exports.ts';
import { publish } from '../support/queries/publish.ts';
import { createWorkspace, type Workspace, type ServiceProcess } from '../support/services/process.ts';
import { admin, type Caller } from '../support/services/service.ts';
import { waitUntil } from '../support/wait-until.ts';

// the long form: TEST_READERS=50
const READERS = Number(process.env.TEST_READERS ?? 8);
const long = process.env.TEST_READERS !== undefined;
const CALLS = long ? 300 : 20;
const CONCURRENCY = 4;
const ROWS = 150_000; // more than 10 MiB, beyond the socket buffers

let workspace: Workspace;
let service: ServiceProcess;
let caller: Caller;
let key: string;
let large: string;
let small: string;
beforeAll(async () => {
  workspace = await createWorkspace();
  service = await workspace.start({ SLUICE_STALL_SECONDS: '600' }); // the readers pause for longer than the default limit
  const root = service.as(admin);
  const sql = `select i as n, md5(i::varchar) as a, md5((i + 1)::varchar) as b from range(${ROWS}) t(i)`;
  large = (await publish(root, { name: 'Large', sql })).queryName;
  small = (await publish(root, { name: 'Small', sql: 'select 42 as n' })).queryName;
  key = (await root.call<{ key: string }>('POST', '/api/v1/account/api-keys', { name: 'slow' })).json.key;
  caller = service.as({ key });
});
afterAll(() => workspace.remove());

/** Requests all rows and reads only the headers. */
async function slowReader(): Promise<IncomingMessage> {
  const { hostname, port } = new URL(service.url);
  const sent = request({
    host: hostname,
    port,
    agent: false,
    method: 'POST',
    path: '/api/v1/Export/ExecuteQuery?format=ndjson',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
  });
  sent.end(JSON.stringify({ QueryName: large, Parameters: [] }));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.pause();
  expect(response.statusCode).toBe(200);
  return response;
}

const nothingRuns = async () => {
  const running = await waitUntil(
    () => executionsOf(caller),
    (all) => all.length === 0,
    60_000,
  );
  expect(running).toEqual([]);
};

async function smallCalls(calls: number): Promise<{ fastest: number; shown: string }> {
  const taken: number[] = [];
  for (let call = 0; call < calls; call++) {
    const startedAt = performance.now();
    expect((await caller.run(small)).status).toBe(200);
    taken.push(performance.now() - startedAt);
  }
  const [fastest, p99] = [Math.min(...taken), percentile(taken, 0.99)];
  return { fastest, shown: `${fastest.toFixed(1)} ms (p99 ${p99.toFixed(1)})` };
}

test(
  `${READERS} slow readers get all rows without holding a query, much memory or other calls`,
  { timeout: 300_000 },
  async () => {
    // the fixed cost of the first exports: code, buffers, memory of the database
    const idle = readResidentMemory(service.pid).now;
    const first = await Promise.all(Array.from({ length: CONCURRENCY }, slowReader));
    for (const response of first) expect((await countLines(response)).lines).toBe(ROWS);
    await nothingRuns();
    const alone = await smallCalls(CALLS);
    const before = readResidentMemory(service.pid).now;

    const readers: IncomingMessage[] = [];
    while (readers.length < READERS) {
      const group = Math.min(CONCURRENCY, READERS - readers.length);
      readers.push(...(await Promise.all(Array.from({ length: group }, slowReader))));
      await nothingRuns(); // while none of them has read anything
    }
    const grown = readResidentMemory(service.pid).now - before;
    const beside = await smallCalls(CALLS);
    const memory = `${mebibytes(grown)} more memory (${mebibytes(idle)} idle, ${mebibytes(before)} after the first exports)`;
    reportFigure(4, `${READERS} slow readers: ${memory}; a small call ${alone.shown} alone, ${beside.shown} beside them`);
    expect(grown).toBeLessThan(100 * 2 ** 20);
    if (long) expect(beside.fastest).toBeLessThan(10 * alone.fastest + 50); // on an idle machine

    for (const response of readers) expect((await countLines(response)).lines).toBe(ROWS);
  },
);
