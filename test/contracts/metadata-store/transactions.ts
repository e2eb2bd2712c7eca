import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { MetadataStore, Repositories } from '../../../src/store/metadata-store.ts';
import { addRole, addUser, auditEntry, now, expectKind, roleNamed, userNamed } from './fixtures.ts';
import type { OpenedStore } from './metadata-store-contract.ts';

export function transactionContract(opened: () => OpenedStore): void {
  const store = () => opened().store;

  it('commits and returns its result', async () => {
    const response = await store().transaction(async (inside) => {
      const role = roleNamed('Reader');
      await inside.roles.insert(role);
      await inside.users.insert(userNamed('ann', { roleIds: [role.id] }));
      return inside.users.count();
    });
    expect(response).toBe(1);
    expect(await store().users.count()).toBe(1);
  });

  it('rolls back when the work throws, and rethrows the error', async () => {
    const problem = new Error('changed my mind');
    const work = store().transaction(async (inside) => {
      await inside.users.insert(userNamed('ann'));
      await inside.settings.set('a', 1);
      await inside.audit.append([auditEntry()]);
      throw problem;
    });
    await expect(work).rejects.toBe(problem);
    expect(await store().users.count()).toBe(0);
    expect(await store().settings.readAll()).toEqual({});
    const { items } = await store().audit.list({}, { limit: 10 });
    expect(items).toEqual([]);
  });

  it('rolls back a partially failed insert', async () => {
    await expect(store().users.insert(userNamed('ann', { roleIds: ['no-such-role'] }))).rejects.toEqual(expectKind('stale'));
    expect(await store().users.count()).toBe(0);
  });

  it('does not commit after a failed statement, even if the work continues', async () => {
    await addUser(store(), 'ann');
    const work = store().transaction(async (inside) => {
      await inside.settings.set('a', 1);
      await inside.users.insert(userNamed('ANN')).catch(() => undefined);
    });
    await expect(work).rejects.toEqual(expectKind('taken'));
    expect(await store().settings.readAll()).toEqual({});
  });

  it('runs other calls after a failed one', async () => {
    await expect(store().transaction(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(store().transaction((inside) => inside.users.count())).resolves.toBe(0);
  });

  it('hides uncommitted work from other calls', async () => {
    const finish = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const work = store().transaction(async (inside) => {
      await inside.users.insert(userNamed('ann'));
      started.resolve();
      await finish.promise;
      throw new Error('rolled back');
    });
    await started.promise;
    const counted = store().users.count();
    await sleep(20);
    finish.resolve();
    await expect(work).rejects.toThrow('rolled back');
    expect(await counted).toBe(0);
  });

  it.each(['in one process', 'in two'])('never lets two transactions %s both see another administrator', async (where) => {
    const administrator = await addRole(store(), 'Administrator');
    const ann = await addUser(store(), 'ann', { roleIds: [administrator.id] });
    const bob = await addUser(store(), 'bob', { roleIds: [administrator.id] });
    const other = where === 'in two' ? await opened().openAgain() : store();

    const resign = (on: MetadataStore, user: typeof ann) =>
      on.transaction(async (inside: Repositories) => {
        const others = await inside.users.countOthersWithRole(administrator.id, user.id, now);
        await sleep(10); // so that both have read before either writes, if possible
        if (others === 0) return false;
        await inside.users.update({ ...user, disabled: true, version: user.version + 1 });
        return true;
      });
    const resigned = await Promise.all([resign(store(), ann), resign(other, bob)]);
    expect(resigned.toSorted()).toEqual([false, true]);
  });

  it('increments correctly in 20 parallel transactions', async () => {
    await store().settings.set('count', 0);
    const increments = Array.from({ length: 20 }, () =>
      store().transaction(async (inside) => {
        const { count } = await inside.settings.readAll();
        await inside.settings.set('count', Number(count) + 1);
      }),
    );
    const done = await Promise.allSettled(increments);
    const succeeded = done.filter(({ status }) => status === 'fulfilled').length;
    expect(await store().settings.readAll()).toEqual({ count: succeeded });
    expect(succeeded).toBeGreaterThanOrEqual(15); // a few may give up after many retries, but no increment may be lost
  });
}
