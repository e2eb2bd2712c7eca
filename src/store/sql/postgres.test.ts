import { describe, expect, it } from 'vitest';
import { ofKind } from '../../../test/contracts/metadata-store/fixtures.ts';
import { createDatabase, execute, postgresProblem } from '../../../test/support/databases/postgres.ts';
import { migrations } from './migrations/index.ts';
import { openPostgresStore } from './postgres.ts';

describe.skipIf(postgresProblem() !== null)(`a metadata store in PostgreSQL ${postgresProblem() ?? ''}`, () => {
  it('is migrated once when opened several times at the same moment', async () => {
    const url = await createDatabase();
    const stores = await Promise.all([1, 2, 3, 4].map(() => openPostgresStore(url)));
    await Promise.all(stores.map((store) => store.close()));
    expect(await execute(url, 'select name from migrations')).toHaveLength(migrations.length);
  });

  it('is unavailable, soon, where nobody listens', async () => {
    const started = performance.now();
    await expect(openPostgresStore('postgres://nobody@127.0.0.1:1/none')).rejects.toEqual(ofKind('unavailable'));
    expect(performance.now() - started).toBeLessThan(20_000);
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
    await expect(cut).rejects.toEqual(ofKind('unavailable'));
    const pings = () => Promise.allSettled(Array.from({ length: 8 }, () => store.ping()));
    await expect.poll(async () => (await pings()).every(({ status }) => status === 'fulfilled')).toBe(true);
    for (let call = 0; call < 10; call++) await store.ping();
    await store.close();
  });

  it('is unavailable within 5 s while another holds what it writes', async () => {
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
    const started = performance.now();
    await expect(store.settings.set('a', 2)).rejects.toEqual(ofKind('unavailable'));
    expect(performance.now() - started).toBeLessThan(20_000);
    done.resolve();
    await holding;
    expect(await store.settings.all()).toEqual({ a: 1 });
    await Promise.all([store.close(), other.close()]);
  });
});

const cutConnections = (url: string) =>
  execute(
    url,
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
