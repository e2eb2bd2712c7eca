import type { Migration } from './migration.ts';

/** By which a caller can cancel an execution from another process; null if it has no such name. */
export const cancellableRequests: Migration = {
  name: '0018-cancellable-requests',
  statements: (kind) => [`alter table executions add column request ${kind === 'postgres' ? 'text collate "C"' : 'text'}`],
};
