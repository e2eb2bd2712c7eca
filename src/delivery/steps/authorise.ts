import { has, inScope, type Principal } from '../../access/principal.ts';
import type { Channel } from '../../audit/audit-entry.ts';
import type { Query } from '../../catalog/query.ts';

/** Requires `queries.run`, the database in scope, one of the query's roles if it names any, and for a restricted key or an embed its name. */
export function mayRun(principal: Principal, query: Query): boolean {
  const { definition, labels } = query.current;
  return (
    query.status === 'Active' &&
    has(principal, 'queries.run') &&
    inScope(principal, definition.databaseId) &&
    (labels.roleIds.length === 0 || labels.roleIds.some((role) => principal.roleIds.includes(role))) &&
    reaches(principal, query.queryName)
  );
}

/** AI clients may only use queries that their author opened to them. */
export const isOfferedOver = (channel: Channel, query: Query): boolean => channel !== 'mcp' || query.current.labels.aiAccess;

function reaches(principal: Principal, queryName: string): boolean {
  const { means } = principal;
  if (means.kind === 'embed') return means.embed.queryName === queryName;
  return means.kind !== 'key' || means.queries === null || means.queries.includes(queryName);
}
