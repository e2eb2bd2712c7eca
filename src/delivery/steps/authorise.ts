import { has, inScope, type Principal } from '../../access/principal.ts';
import type { Query } from '../../catalog/query.ts';

/** Who may run a query: `queries.run`, its database in scope, one of its roles where it names any, and for a narrowed key its name. */
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

function reaches(principal: Principal, queryName: string): boolean {
  return principal.means.kind !== 'key' || principal.means.queries === null || principal.means.queries.includes(queryName);
}
