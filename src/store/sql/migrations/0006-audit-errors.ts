import type { Migration } from './migration.ts';

export const auditErrors: Migration = {
  name: '0006-audit-errors',
  statements: (kind) => [`alter table audit add column error ${kind === 'postgres' ? 'text collate "C"' : 'text'}`],
};
