import { foundation } from './0001-foundation.ts';
import { embeds } from './0002-embeds.ts';
import { cachedEntriesAndExecutions } from './0003-cached-entries-and-executions.ts';
import { catalogGeneration } from './0004-catalog-generation.ts';
import { externalUsers } from './0005-external-users.ts';
import { auditErrors } from './0006-audit-errors.ts';
import { keyLimits } from './0007-key-limits.ts';
import { leases } from './0008-leases.ts';
import { guesses } from './0009-guesses.ts';
import { generationOnPostgres } from './0010-generation-on-postgres.ts';
import { auditBlocks } from './0011-audit-blocks.ts';
import { userAttributes } from './0012-user-attributes.ts';
import { typedTools } from './0013-typed-tools.ts';
import { sharedLimits } from './0014-shared-limits.ts';
import { queryUses } from './0015-query-uses.ts';
import { auditPartitions } from './0016-audit-partitions.ts';
import { cancellableRequests } from './0018-cancellable-requests.ts';
import { databaseTests } from './0019-database-tests.ts';
import { heldRows } from './0020-held-rows.ts';
import { versionNotes } from './0021-version-notes.ts';
import { queryChanges } from './0022-query-changes.ts';
import { dropAuditBlocks } from './0023-drop-audit-blocks.ts';
import type { Migration } from './migration.ts';

/** In order, forward only. A released migration is never changed: add another. */
export const migrations: readonly Migration[] = [
  foundation,
  embeds,
  cachedEntriesAndExecutions,
  catalogGeneration,
  externalUsers,
  auditErrors,
  keyLimits,
  leases,
  guesses,
  generationOnPostgres,
  auditBlocks,
  userAttributes,
  typedTools,
  sharedLimits,
  queryUses,
  auditPartitions,
  cancellableRequests,
  databaseTests,
  heldRows,
  versionNotes,
  queryChanges,
  dropAuditBlocks,
];
