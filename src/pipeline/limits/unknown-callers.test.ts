import { beforeEach, expect, it } from 'vitest';
import { auditEntry } from '../../../test/contracts/metadata-store/fixtures.ts';
import type { AuditEntry } from '../../audit/audit-entry.ts';
import { createUnknownCallers, type UnknownCallers } from './unknown-callers.ts';

let now: number;
let room: boolean;
let written: AuditEntry[];
let reports: [calls: number, recorded: boolean][];
let log: UnknownCallers;
beforeEach(() => {
  now = 1_000_000;
  room = true;
  written = [];
  reports = [];
  log = createUnknownCallers({
    log: { append: async (entry) => void written.push(entry), flush: async () => undefined },
    now: () => now,
    hasRoom: () => room,
    onCounted: (...counts) => reports.push(counts),
  });
});

const refused = (more: Partial<AuditEntry> = {}) => log.append(auditEntry({ userId: null, address: '192.0.2.1', ...more }));
const counts = () => written.filter(({ action }) => action === 'calls.refused');

it('writes the first entries of an address and a count at the end of the minute', async () => {
  for (let n = 0; n < 25; n++) await refused();
  expect(written).toHaveLength(20);
  await log.sweep();
  expect(counts()).toEqual([]);
  now += 60_000;
  await log.sweep();
  expect(counts()).toMatchObject([{ address: '192.0.2.1', parameters: { calls: 5 } }]);
  expect(reports).toEqual([[5, true]]);
  await refused();
  expect(written).toHaveLength(22);
});

it('writes nothing if the disk has only the reserve for authenticated calls left', async () => {
  room = false;
  for (let n = 0; n < 3; n++) await refused();
  now += 60_000;
  await log.sweep();
  expect(written).toEqual([]);
  expect(reports).toEqual([[3, false]]);
});

it('separates owners of one address, and records no user name that was only tried', async () => {
  for (let n = 0; n < 21; n++) {
    await refused({ userId: 'u1', user: 'ann', apiKey: 'old' });
    await refused({ user: `tried ${n}` });
  }
  await log.flush();
  expect(counts()).toMatchObject([
    { user: 'ann', apiKey: 'old', userId: 'u1', parameters: { calls: 1 } },
    { user: null, userId: null, parameters: { calls: 1 } },
  ]);
});

it('bounds its memory: beyond 200 addresses one count has all others', async () => {
  for (let n = 0; n < 100_000; n++) await refused({ address: `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}` });
  await log.flush();
  expect(written).toHaveLength(201);
  expect(counts()).toMatchObject([{ address: 'other addresses', parameters: { calls: 99_800 } }]);
});

it('writes the counts when the service stops', async () => {
  for (let n = 0; n < 22; n++) await refused();
  await log.flush();
  expect(counts()).toMatchObject([{ parameters: { calls: 2 } }]);
});
