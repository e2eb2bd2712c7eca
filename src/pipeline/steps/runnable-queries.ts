import { has, isInScope, queriesOfKey, type Principal } from '../../access/principal.ts';
import type { Channel } from '../../audit/audit-entry.ts';
import type { DatabaseRecord, MetadataStore, QueryFilter } from '../../store/metadata-store.ts';

/** The databases whose queries a principal may run. */
export async function listUsableDatabases(
  store: Pick<MetadataStore, 'databases'>,
  principal: Principal,
): Promise<readonly DatabaseRecord[]> {
  if (!has(principal, 'queries.run')) return [];
  return (await store.databases.listAll()).filter((database) => !database.disabled && isInScope(principal, database.id));
}

/** `mayRun` and `isOfferedOver` as a filter of the catalog. */
export function buildRunnableFilter(channel: Channel, principal: Principal, databases: readonly DatabaseRecord[]): QueryFilter {
  const queryNames = queriesOfKey(principal);
  return {
    statuses: ['Active'],
    databaseIds: databases.map(({ id }) => id),
    grantedToRoles: principal.roleIds,
    ...(queryNames === null ? {} : { queryNames }),
    ...(channel === 'mcp' ? { aiAccess: true } : {}),
  };
}
