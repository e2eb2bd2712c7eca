import { expect, it } from 'vitest';
import type { MetadataStore } from '../../../src/store/metadata-store.ts';
import { addRole, addUser, labels, expectKind, queryNamed, roleNamed, versionOf, walk } from './fixtures.ts';

export function roleContract(store: () => MetadataStore): void {
  it('returns every stored field', async () => {
    const role = roleNamed('Gatekeeper 🔑', { permissions: ['users.manage', 'audit.view'], builtIn: true, version: 4 });
    await store().roles.insert(role);
    expect(await store().roles.get(role.id)).toEqual(role);
    expect(await store().roles.get('none')).toBeNull();
  });

  it('refuses a duplicate name, ignoring case', async () => {
    await addRole(store(), 'Reader');
    const other = await addRole(store(), 'Author');
    await expect(store().roles.insert(roleNamed('READER'))).rejects.toEqual(expectKind('taken'));
    await expect(store().roles.update({ ...other, name: 'reader', version: 2 })).rejects.toEqual(expectKind('taken'));
  });

  it('updates only the version that was read', async () => {
    const role = await addRole(store(), 'Reader');
    await store().roles.update({ ...role, name: 'Viewer', permissions: [], version: 2 });
    expect(await store().roles.get(role.id)).toEqual({ ...role, name: 'Viewer', permissions: [], version: 2 });
    await expect(store().roles.update({ ...role, version: 2 })).rejects.toEqual(expectKind('stale'));
  });

  it('lists and searches by name', async () => {
    for (const name of ['reader', 'Author', 'Auditor', 'publisher', 'Zebra']) await addRole(store(), name);
    const ordered = ['Auditor', 'Author', 'publisher', 'reader', 'Zebra'];
    expect((await store().roles.listAll()).map(({ name }) => name)).toEqual(ordered);
    expect((await walk((cursor) => store().roles.list({ limit: 2, ...cursor }))).map(({ name }) => name)).toEqual(ordered);
    const found = await walk((cursor) => store().roles.list({ limit: 1, search: 'AU', ...cursor }));
    expect(found.map(({ name }) => name)).toEqual(['Auditor', 'Author']);
  });

  it('refuses to delete a role that a user holds', async () => {
    const role = await addRole(store(), 'Reader');
    const user = await addUser(store(), 'ann', { roleIds: [role.id] });
    await expect(store().roles.delete(role.id)).rejects.toEqual(expectKind('in-use'));
    await store().users.update({ ...user, roleIds: [], version: 2 });
    await store().roles.delete(role.id);
    expect(await store().roles.get(role.id)).toBeNull();
  });

  it('refuses to delete a role that the current version or draft of a query names', async () => {
    const current = await addRole(store(), 'Current');
    const drafted = await addRole(store(), 'Drafted');
    const query = queryNamed('Orders', {}, { roleIds: [current.id] });
    const draft = versionOf(query.id, 'Orders', { version: 2, labels: labels({ roleIds: [drafted.id] }) });
    await store().queries.insert({ ...query, draft: { ...draft, status: 'Draft' }, lastVersion: 2 });
    await expect(store().roles.delete(current.id)).rejects.toEqual(expectKind('in-use'));
    await expect(store().roles.delete(drafted.id)).rejects.toEqual(expectKind('in-use'));
    expect(await store().roles.listNamedByQueries()).toEqual(new Set([current.id, drafted.id]));

    await store().queries.update({ ...query, current: draft, draft: null, lastVersion: 2, revision: 2 });
    await store().roles.delete(current.id);
    await expect(store().roles.delete(drafted.id)).rejects.toEqual(expectKind('in-use'));
    expect(await store().roles.listNamedByQueries()).toEqual(new Set([drafted.id]));
  });
}
