import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reportFigure } from '../support/faults/figure.ts';
import { mebibytes, readResidentMemory } from '../support/faults/resident-memory.ts';
import { openUnreadCall } from '../support/http/unread-call.ts';
import { createKey, createQueryUser } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { createWorkspace, type Workspace, type ServiceProcess } from '../support/services/process.ts';
import { type Caller, admin, expectStatus } from '../support/services/service.ts';
import { waitUntil } from '../support/wait-until.ts';

// the long form: TEST_UNREAD=60
const SOCKETS = Number(process.env.TEST_UNREAD ?? 8);
const STALL_SECONDS = process.env.TEST_UNREAD === undefined ? 2 : 30;
const PAGE_BYTES = 15_000_000;
const PAGES_OF_A_USER = Math.floor((64 << 20) / PAGE_BYTES);

let workspace: Workspace;
let service: ServiceProcess;
let root: Caller;
let large: string;
beforeAll(async () => {
  workspace = await createWorkspace();
  service = await workspace.start({ SLUICE_STALL_SECONDS: String(STALL_SECONDS), SLUICE_ROWS_MAX: '100000' });
  root = service.as(admin);
  const sql = "select i as n, repeat('x', 980) as t from range(15200) r(i)";
  large = (await publish(root, { name: 'Large', sql })).queryName;
});
afterAll(() => workspace.remove());

const unread = (key: string): Promise<Socket> => openUnreadCall(service.url, key, large);

/** Reads until the connection is closed or an error response arrives. */
async function received(socket: Socket): Promise<{ readonly bytes: number; readonly isRefused: boolean }> {
  let bytes = 0;
  let isRefused = false;
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    isRefused ||= chunk.includes('"code":"responses_unread"') || chunk.includes('"code":"user_busy"');
    if (isRefused) resolve();
  });
  socket.on('error', () => undefined);
  socket.on('close', () => resolve());
  await ended;
  socket.destroy();
  return { bytes, isRefused };
}

test(
  `${SOCKETS} unread pages of 15 MB stay within the limit of a user and are closed in time`,
  { timeout: 300_000 },
  async () => {
    const username = 'unread';
    const user = await createQueryUser(service, username);
    const { key } = await createKey(service.as(user.credential), { name: 'unread' });
    const other = (await createQueryUser(service, 'other')).caller;
    const page = (caller: Caller) => caller.run(large, [], { RowSize: '100000' });
    await expectStatus(page(other), 200);
    const before = readResidentMemory(service.pid).now;

    const sockets: Socket[] = [];
    for (let n = 0; n < SOCKETS; n++) sockets.push(await unread(key));
    // each one was served, or refused because earlier ones were not read
    const path = `/api/v1/audit?user=${encodeURIComponent(username)}&query=${large}&limit=1000`;
    const entries = () => root.call<{ items: readonly { status: number }[] }>('GET', path);
    const { json } = await waitUntil(entries, (response) => response.json.items.length === SOCKETS, 60_000);
    expect(json.items.filter(({ status }) => status === 200)).toHaveLength(PAGES_OF_A_USER);
    expect(json.items.filter(({ status }) => status === 429)).toHaveLength(SOCKETS - PAGES_OF_A_USER);
    await expectStatus(page(other), 200);
    const grown = readResidentMemory(service.pid).now - before;

    // as many parallel pages as a user may have: all slots are free again
    const freed = await waitUntil(
      () => Promise.all(Array.from({ length: PAGES_OF_A_USER }, () => page(service.as({ key })))),
      (responses) => responses.every(({ status }) => status === 200),
      60_000,
    );
    expect(
      freed.map(({ status }) => status),
      'the responses that made no progress were cut off',
    ).toEqual(Array(PAGES_OF_A_USER).fill(200));
    const responses = await Promise.all(sockets.map(received));
    expect(responses.filter(({ bytes }) => bytes >= PAGE_BYTES)).toEqual([]);
    expect(responses.filter(({ isRefused }) => isRefused)).toHaveLength(SOCKETS - PAGES_OF_A_USER);
    reportFigure(23, `${SOCKETS} unread pages of 15 MB: ${mebibytes(grown)} more memory, cut off after ${STALL_SECONDS} s`);
  },
);

test('does not close a response that is read slowly', { timeout: 120_000 }, async () => {
  const user = await createQueryUser(service, 'slow');
  const { key } = await createKey(service.as(user.credential), { name: 'slow' });
  const socket = await unread(key);
  let bytes = 0;
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const from = Date.now();
  const slowly = () => Date.now() - from < 2 * STALL_SECONDS * 1000;
  socket.on('close', () => resolve());
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > PAGE_BYTES) resolve();
    if (!slowly()) return;
    socket.pause();
    setTimeout(() => socket.resume(), STALL_SECONDS * 20);
  });
  await ended;
  expect(bytes).toBeGreaterThan(PAGE_BYTES);
  socket.destroy();
});
