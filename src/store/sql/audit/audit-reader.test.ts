import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it, vi } from 'vitest';
import { auditEntry } from '../../../../test/contracts/metadata-store/fixtures.ts';
import { openSqliteStore } from '../sqlite/sqlite-store.ts';
import { auditReader } from './audit-reader.ts';

it('ends its thread when idle, and starts another for the next request', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-reader-'));
  const file = join(folder, 'metadata.sqlite');
  const store = await openSqliteStore(file);
  await store.audit.append(Array.from({ length: 200 }, () => auditEntry()));
  const ended = vi.spyOn(Worker.prototype, 'terminate');
  const reader = auditReader({ file }, 50);
  const list = async () => (await reader.list({ search: 'request' }, { limit: 500 })).items.length;
  expect(await Promise.all([list(), list()])).toEqual([200, 200]);
  await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce(), { timeout: 10_000 });
  expect(await list()).toBe(200);
  await reader.close();
  await store.close();
  await rm(folder, { recursive: true });
  ended.mockRestore();
});
