import type { Migration } from './migration.ts';

export const leases: Migration = {
  name: '0008-leases',
  statements(kind) {
    const text = kind === 'postgres' ? 'text collate "C"' : 'text';
    return [
      `create table leases (
        name ${text} primary key,
        holder ${text} not null,
        until_at bigint not null
      )`,
    ];
  },
};
