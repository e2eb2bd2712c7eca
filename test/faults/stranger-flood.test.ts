import { stat } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onPostgres, storeName } from '../support/fault-store.ts';
import { figure, percentile } from '../support/figure.ts';
import { execute } from '../support/postgres.ts';
import { makePlace, type Place, type ServiceProcess } from '../support/process.ts';
import { expectStatus, publish } from '../support/publish.ts';
import { mebibytes, residentMemory } from '../support/resident-memory.ts';
import { createKey } from '../support/rest-callers.ts';
import { admin } from '../support/service.ts';

// the long form: TEST_FLOOD_SECONDS=60
const SECONDS = Number(process.env.TEST_FLOOD_SECONDS ?? 3);
const long = process.env.TEST_FLOOD_SECONDS !== undefined;
const ADDRESSES = 200;
const STRANGERS = 8; // connections at a time
const PAUSE_MS = 5; // of a good caller between two calls

let place: Place;
let service: ServiceProcess;
let key: string;
let small: string;
const agent = new Agent({ keepAlive: true, maxSockets: STRANGERS + 2 });
beforeAll(async () => {
  place = await makePlace();
  service = await place.start({ SLUICE_TRUSTED_PROXIES: '127.0.0.1' });
  const root = service.as(admin);
  small = (await publish(root, { name: 'Small', sql: 'select 42 as n' })).queryName;
  ({ key } = await createKey(root, 'good'));
});
afterAll(async () => {
  agent.destroy();
  await place.remove();
});

/** The status, and how long it took. */
function call(shown: string, address: string): Promise<{ status: number; ms: number }> {
  const { hostname, port } = new URL(service.url);
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { 'X-API-Key': shown, 'X-Forwarded-For': address, 'Content-Type': 'application/json' };
    const sent = request({ agent, host: hostname, port, method: 'POST', path: '/api/v1/JsonBuilder/ExecuteQuery', headers });
    sent.on('error', reject);
    sent.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode ?? 0, ms: performance.now() - begun }));
    });
    sent.end(JSON.stringify({ QueryName: small, Parameters: [] }));
  });
}

async function goodCalls(seconds: number): Promise<readonly number[]> {
  const taken: number[] = [];
  for (const end = Date.now() + seconds * 1000; Date.now() < end;) {
    const { status, ms } = await call(key, '192.0.2.1');
    expect(status).toBe(200);
    taken.push(ms);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return taken;
}

async function flood(seconds: number): Promise<number> {
  let calls = 0;
  const stranger = async (): Promise<void> => {
    for (const end = Date.now() + seconds * 1000; Date.now() < end;) {
      const { status } = await call('slc_nonsense', `10.9.0.${calls++ % ADDRESSES}`);
      expect(status).toBe(401);
    }
  };
  await Promise.all(Array.from({ length: STRANGERS }, stranger));
  return calls;
}

/** Bytes of the metadata, where the audit trail is nearly all that grows. */
async function trailBytes(): Promise<number> {
  if (onPostgres) {
    const [row] = await execute(place.store.SLUICE_METADATA_URL ?? '', "select pg_total_relation_size('audit') as bytes");
    return Number(row?.bytes);
  }
  const sizes = ['', '-wal'].map(async (ending) => (await stat(join(place.data, `metadata.sqlite${ending}`))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

test(
  `a flood of wrong keys from ${ADDRESSES} addresses writes little and hardly slows others`,
  { timeout: SECONDS * 4000 + 60_000 },
  async () => {
    await goodCalls(1); // warms up
    const alone = await goodCalls(SECONDS);
    const before = await trailBytes();
    const idle = residentMemory(service.pid).now;
    const [beside, refused] = await Promise.all([goodCalls(SECONDS), flood(SECONDS)]);
    const grown = residentMemory(service.pid).now - idle;
    const entries = async (search: string) => {
      const path = `/api/v1/audit?limit=1000&search=${search}`;
      return (await expectStatus(service.as(admin).call<{ items: readonly unknown[] }>('GET', path), 200)).json.items.length;
    };
    const ofStrangers = await entries('10.9.0.');
    const written = (await trailBytes()) - before;
    const p99 = [percentile(alone, 0.99), percentile(beside, 0.99)].map((ms) => `${ms.toFixed(1)} ms`);
    figure(
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
