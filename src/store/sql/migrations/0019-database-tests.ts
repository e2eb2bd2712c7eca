import type { Migration } from './migration.ts';

/** The last test of each connection. Separate from the databases, so that a test does not invalidate remembered records. */
export const databaseTests: Migration = {
  name: '0019-database-tests',
  statements(kind) {
    const text = kind === 'postgres' ? 'text collate "C"' : 'text';
    return [
      `create table database_tests (
        database_id ${text} primary key references databases (id) on delete cascade,
        at bigint not null,
        problem ${text}
      )`,
    ];
  },
};
