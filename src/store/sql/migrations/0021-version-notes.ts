import type { Migration } from './migration.ts';

/** Why a version of a query exists. The default lets a process of the previous release insert versions during a rolling update. */
export const versionNotes: Migration = {
  name: '0021-version-notes',
  statements: (kind) => [
    `alter table query_versions add column note ${kind === 'postgres' ? 'text collate "C"' : 'text'} not null default ''`,
  ],
};
