import type { Migration } from './migration.ts';

/** The search index of the audit trail, see docs/adr/0034. */
export const auditBlocks: Migration = {
  name: '0011-audit-blocks',
  statements(kind) {
    const bytes = kind === 'postgres' ? 'bytea' : 'blob';
    return [
      `create table audit_blocks (
        block ${kind === 'postgres' ? 'bigint' : 'integer'} primary key,
        min_at bigint not null,
        max_at bigint not null,
        signature ${bytes} not null
      )`,
    ];
  },
};
