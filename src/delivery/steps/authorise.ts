import { has, inScope, type Principal } from '../../access/principal.ts';
import type { Channel } from '../../audit/audit-entry.ts';
import type { Query } from '../../catalog/query.ts';

/** Who may run a query: `queries.run`, its database in scope, one of its roles where it names any, and for a narrowed key or an embed its name. */
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

/** Assistants get only what its author opened to them. */
export const isOfferedOver = (channel: Channel, query: Query): boolean => channel !== 'mcp' || query.current.labels.aiAccess;

function reaches(principal: Principal, queryName: string): boolean {
  const { means } = principal;
  if (means.kind === 'embed') return means.embed.queryName === queryName;
  return means.kind !== 'key' || means.queries === null || means.queries.includes(queryName);
}
