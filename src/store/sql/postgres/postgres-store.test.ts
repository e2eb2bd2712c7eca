import { describe, expect, it } from 'vitest';
import { addUser, auditEntry, expectKind, keyOf, now } from '../../../../test/contracts/metadata-store/fixtures.ts';
import { createDatabase, execute, postgresProblem } from '../../../../test/support/databases/postgres.ts';
import { startRelay } from '../../../../test/support/http/tcp-relay.ts';
import { createAuditLog } from '../../../pipeline/steps/audit-call.ts';
import { migrations } from '../migrations/index.ts';
import { openPostgresStore } from './postgres-store.ts';

describe.skipIf(postgresProblem() !== null)(`a metadata store in PostgreSQL ${postgresProblem() ?? ''}`, () => {
  it('is migrated once when opened several times at the same moment', async () => {
    const url = await createDatabase();
    const stores = await Promise.all([1, 2, 3, 4].map(() => openPostgresStore(url)));
    await Promise.all(stores.map((store) => store.close()));
    expect(await execute(url, 'select name from migrations')).toHaveLength(migrations.length);
  });

  it('fails if no server listens', async () => {
    await expect(openPostgresStore('postgres://nobody@127.0.0.1:1/none')).rejects.toEqual(expectKind('unavailable'));
  });

  it('fails the calls in flight when its connections are cut, and recovers', async () => {
    const url = await createDatabase();
    const store = await openPostgresStore(url);
    await Promise.all(Array.from({ length: 8 }, () => store.ping()));
    const cut = store.transaction(async (inside) => {
      await inside.users.count();
      await cutConnections(url);
      await inside.users.count();
    });
    await expect(cut).rejects.toEqual(expectKind('unavailable'));
    const pings = () => Promise.allSettled(Array.from({ length: 8 }, () => store.ping()));
    await expect.poll(async () => (await pings()).every(({ status }) => status === 'fulfilled')).toBe(true);
    for (let call = 0; call < 10; call++) await store.ping();
    await store.close();
  });

  it('fails instead of waiting while another transaction holds the rows', async () => {
    const url = await createDatabase();
    const store = await openPostgresStore(url);
    const other = await openPostgresStore(url);
    const done = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holding = other.transaction(async (inside) => {
      await inside.settings.set('a', 1);
      locked.resolve();
      await done.promise;
    });
    await locked.promise;
    await expect(store.settings.set('a', 2)).rejects.toEqual(expectKind('unavailable'));
    done.resolve();
    await holding;
    expect(await store.settings.readAll()).toEqual({ a: 1 });
    await Promise.all([store.close(), other.close()]);
  });

  it('forgets remembered reads when a table is truncated, and with a new connection, which may be to another server', async () => {
    const { url, store, key } = await withKey();
    const first = await store.principals.byKeyHash(key.hash);
    await cutConnections(url);
    await expect.poll(() => store.principals.byKeyHash(key.hash).catch(() => null)).not.toBeNull();
    const again = await store.principals.byKeyHash(key.hash);
    expect(again).toEqual(first);
    expect(again).not.toBe(first);
    await execute(url, 'truncate api_keys cascade');
    expect(await store.principals.byKeyHash(key.hash)).toBeNull();
    await store.close();
  });

  it('never returns a key that was revoked before the read started, while its connections are cut repeatedly', async () => {
    const { url, store, key } = await withKey();
    let over = false;
    const cutting = (async () => {
      while (!over) await cutConnections(url);
    })();
    const outcomes = new Set<string>();
    for (let round = 1; round <= 200 && (round <= 20 || outcomes.size < 2); round++) {
      await execute(url, `update api_keys set revoked_at = ${round}`);
      const reads = Array.from({ length: 20 }, () => store.principals.byKeyHash(key.hash));
      for (const read of await Promise.allSettled(reads)) {
        outcomes.add(read.status);
        if (read.status === 'fulfilled') expect(read.value?.key.revokedAt).toBe(round);
        else expect(read.reason).toEqual(expectKind('unavailable'));
      }
    }
    expect(outcomes).toEqual(new Set(['fulfilled', 'rejected']));
    over = true;
    await cutting;
    await store.close();
  });

  it('does not use a generation that was read before the call started', async () => {
    const { url, relay, behind } = await relayed();
    const { store, key } = await withKey(behind);
    await store.principals.byKeyHash(key.hash);
    const lastRead = () =>
      execute(
        url,
        "select query_start::text from pg_stat_activity where datname = current_database() and state = 'idle' and query like 'select sum%'",
      );
    const before = await lastRead();
    const release = relay.hold();
    const early = store.principals.byKeyHash(key.hash);
    await expect.poll(lastRead).not.toEqual(before);
    await execute(url, 'update api_keys set revoked_at = 7');
    const late = store.principals.byKeyHash(key.hash);
    release();
    expect((await early)?.key.revokedAt).toBeNull();
    expect((await late)?.key.revokedAt).toBe(7);
    await store.close();
    await relay.stop();
  });

  it('fails reads and audit entries while the server is unreachable, and sees changes made meanwhile', async () => {
    const { url, relay, behind } = await relayed();
    const { store, key } = await withKey(behind);
    await store.principals.byKeyHash(key.hash);
    await relay.stop();
    await execute(url, 'update api_keys set revoked_at = 7');
    const calls = [store.principals.byKeyHash(key.hash), store.queries.byQueryName('a'), store.audit.append([auditEntry()])];
    const failed = { status: 'rejected', reason: expectKind('unavailable') };
    expect(await Promise.allSettled(calls)).toEqual([failed, failed, failed]);
    await relay.start();
    expect((await store.principals.byKeyHash(key.hash))?.key.revokedAt).toBe(7);
    await store.audit.append([auditEntry()]);
    expect((await store.audit.list({}, { limit: 5 })).items).toHaveLength(1);
    await store.close();
    await relay.stop();
  });

  it('fails an audit entry that cannot be stored, not those that share its commit', async () => {
    const store = await openPostgresStore(await createDatabase());
    const log = createAuditLog((entries) => store.audit.append(entries));
    const entries = [auditEntry(), auditEntry({ status: 2 ** 40 }), auditEntry({ query: '\ud800\0' }), auditEntry()];
    const appended = await Promise.allSettled(entries.map((entry) => log.append(entry)));
    expect(appended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect((await store.audit.list({}, { limit: 9 })).items).toHaveLength(3);
    await store.close();
  });

  it('allows several processes to change the catalog concurrently', async () => {
    const url = await createDatabase();
    const stores = await Promise.all([1, 2, 3].map(() => openPostgresStore(url)));
    const names = Array.from({ length: 10 }, (_, index) => `user ${index}`);
    await Promise.all(stores.flatMap((store, at) => names.map((name) => addUser(store, `${name} of ${at}`))));
    expect(await stores[0]?.users.count()).toBe(30);
    await Promise.all(stores.map((store) => store.close()));
  });
});

async function relayed() {
  const url = new URL(await createDatabase());
  const relay = await startRelay({ host: url.hostname, port: Number(url.port) });
  const behind = new URL(url);
  behind.port = String(relay.port);
  return { url: url.href, relay, behind: behind.href };
}

async function withKey(url?: string) {
  const on = url ?? (await createDatabase());
  const store = await openPostgresStore(on);
  const key = keyOf((await addUser(store, 'ann')).id);
  await store.apiKeys.insert(key, 5, now);
  return { url: on, store, key };
}

const cutConnections = (url: string) =>
  execute(
    url,
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'sluice'",
  );
