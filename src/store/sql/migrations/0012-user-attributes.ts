import type { Migration } from './migration.ts';

export const userAttributes: Migration = {
  name: '0012-user-attributes',
  statements(kind) {
    const text = kind === 'postgres' ? 'text collate "C"' : 'text';
    return [`alter table users add column attributes ${text} not null default '{}'`];
  },
};
