import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditEntry, ofKind } from '../../../test/contracts/metadata-store/fixtures.ts';
import type { MetadataStore } from '../metadata-store.ts';
import { auditInPlace } from './audit-in-place.ts';
import { type AuditWriter, auditWriter } from './audit-writer.ts';
import { openSqliteStore } from './sqlite.ts';

let folder: string;
let file: string;
let store: MetadataStore;
let writer: AuditWriter;
let byThread: number; // appends that it was given
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-store-'));
  file = join(folder, 'metadata.sqlite');
  store = await openSqliteStore(file);
  writer = auditWriter(file);
  byThread = 0;
});
afterEach(async () => {
  await writer.close();
  await store.close();
  await rm(folder, { recursive: true });
});

const written = async (requestId: string) => (await store.audit.list({ requestId }, { limit: 10 })).items;

function inPlace(slowMs = Number.POSITIVE_INFINITY): AuditWriter {
  const thread = writer;
  const append: AuditWriter['append'] = (entries) => {
    byThread++;
    return thread.append(entries);
  };
  return auditInPlace(file, { append, close: thread.close }, slowMs);
}

describe.each(['by a thread', 'in place'])('%s', (how) => {
  beforeEach(() => {
    if (how === 'in place') writer = inPlace();
  });

  it('writes an entry as it is, zero bytes apart', async () => {
    const entry = auditEntry({
      requestId: 'a',
      user: 'Zoë 😀',
      parameters: { '@Name': '"\ud800', '@None': null },
      client: 'x\0y',
    });
    await writer.append([entry]);
    const [found] = await written('a');
    expect(found).toEqual({ ...entry, client: 'x\ufffdy', seq: expect.any(Number) });
  });

  it('has committed, for other connections too, what it says it has', async () => {
    await Promise.all(
      [1, 2, 3].map((n) => writer.append([auditEntry({ requestId: `b${n}` }), auditEntry({ requestId: `c${n}` })])),
    );
    const other = new DatabaseSync(file);
    expect(other.prepare("select count(*) as count from audit where request_id glob '[bc]?'").get()).toEqual({ count: 6 });
    other.close();
  });

  it('writes all entries of a batch or none', async () => {
    const broken = { ...auditEntry({ requestId: 'e' }), address: null } as unknown as ReturnType<typeof auditEntry>; // the column refuses it
    await expect(writer.append([auditEntry({ requestId: 'd' }), broken])).rejects.toEqual(ofKind('unavailable'));
    expect(await written('d')).toEqual([]);
    await writer.append([auditEntry({ requestId: 'f' })]);
    expect(await written('f')).toHaveLength(1);
  });

  it('waits while another process holds the lock, and the event loop goes on', async () => {
    await writer.append([auditEntry()]); // the thread runs
    const holder = new DatabaseSync(file);
    holder.exec('begin immediate');
    let isDone = false;
    const appended = writer.append([auditEntry({ requestId: 'g' })]).then(() => {
      isDone = true;
    });
    await sleep(200);
    expect(isDone).toBe(false);
    holder.exec('rollback');
    holder.close();
    await appended;
    expect(await written('g')).toHaveLength(1);
  });
});

it('fails what waits for a thread that has ended', async () => {
  await writer.append([auditEntry()]);
  const holder = new DatabaseSync(file);
  holder.exec('begin immediate');
  const appended = writer.append([auditEntry({ requestId: 'h' })]);
  const failed = expect(appended).rejects.toEqual(ofKind('unavailable'));
  await writer.close();
  await failed;
  holder.exec('rollback');
  holder.close();
  await writer.append([auditEntry({ requestId: 'i' })]); // by another
  expect(await written('i')).toHaveLength(1);
});

describe('in place', () => {
  beforeEach(() => {
    writer = inPlace();
  });

  it('needs no thread, also for appends of the same moment', async () => {
    const ids = Array.from({ length: 20 }, (_, n) => `j${n}`);
    await Promise.all(ids.map((requestId) => writer.append([auditEntry({ requestId })])));
    for (const id of ids) expect(await written(id)).toHaveLength(1);
    expect(byThread).toBe(0);
  });

  it('leaves it to the thread to wait for a lock', async () => {
    await writer.append([auditEntry()]);
    const holder = new DatabaseSync(file);
    holder.exec('begin immediate');
    const appended = writer.append([auditEntry({ requestId: 'k' })]);
    await expect.poll(() => byThread).toBe(1);
    holder.exec('rollback');
    holder.close();
    await appended;
    expect(await written('k')).toHaveLength(1);
    await writer.append([auditEntry()]);
    expect(byThread).toBe(1);
  });
});

it('in place leaves everything to the thread for a while where commits have become slow', async () => {
  writer = inPlace(0);
  for (let commits = 0; commits < 3; commits++) await writer.append([auditEntry()]);
  expect(byThread).toBe(0);
  await writer.append([auditEntry({ requestId: 'l' })]);
  expect(byThread).toBe(1);
  expect(await written('l')).toHaveLength(1);
});
