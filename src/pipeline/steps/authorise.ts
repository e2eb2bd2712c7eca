import { has, isInScope, type Principal } from '../../access/principal.ts';
import type { Channel } from '../../audit/audit-entry.ts';
import type { Query } from '../../catalog/query.ts';

/** What a principal lacks to run a query. */
export type RunRefusal = 'Active' | 'permission' | 'database' | 'role' | 'key';

/** Requires `queries.run`, the database in scope, one of the query's roles if it names any, and for a restricted key or an embed its name. */
export function runRefusal(principal: Principal, query: Query): RunRefusal | null {
  const { definition, labels } = query.current;
  if (query.status !== 'Active') return 'Active';
  if (!has(principal, 'queries.run')) return 'permission';
  if (!isInScope(principal, definition.databaseId)) return 'database';
  if (labels.roleIds.length > 0 && !labels.roleIds.some((role) => principal.roleIds.includes(role))) return 'role';
  return reaches(principal, query.queryName) ? null : 'key';
}

export const mayRun = (principal: Principal, query: Query): boolean => runRefusal(principal, query) === null;

/** AI clients may only use queries that their author opened to them. */
export const isOfferedOver = (channel: Channel, query: Query): boolean => channel !== 'mcp' || query.current.labels.aiAccess;

function reaches(principal: Principal, queryName: string): boolean {
  const { authentication } = principal;
  if (authentication.kind === 'embed') return authentication.embed.queryName === queryName;
  return authentication.kind !== 'key' || authentication.queries === null || authentication.queries.includes(queryName);
}
