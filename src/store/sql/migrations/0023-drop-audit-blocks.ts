import type { Migration } from './migration.ts';

/** The search of the audit trail has no index of its own any more, see docs/adr/0056. */
export const dropAuditBlocks: Migration = {
  name: '0023-drop-audit-blocks',
  statements: () => ['drop table audit_blocks'],
};
