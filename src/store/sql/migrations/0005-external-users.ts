import type { Migration } from './migration.ts';

export const externalUsers: Migration = {
  name: '0005-external-users',
  statements(kind) {
    const text = kind === 'postgres' ? 'text collate "C"' : 'text';
    return [`alter table users add column external_id ${text}`, 'create unique index users_external on users (external_id)'];
  },
};
