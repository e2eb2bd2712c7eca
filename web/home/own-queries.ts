import type { AuditEntry, Query } from '../app/wire.ts';

export interface RecentQuery {
  readonly query: Query;
  readonly did: 'ran' | 'changed';
  readonly at: string;
}

const MAX_SHOWN = 6;

/** The queries that the user ran or changed, latest first. */
export function recentQueries(
  username: string,
  queries: readonly Query[],
  entries: readonly Pick<AuditEntry, 'at' | 'user' | 'query' | 'channel'>[],
): readonly RecentQuery[] {
  const byName = new Map(queries.map((query) => [query.queryName, query]));
  const ran = entries.flatMap(({ at, user, query: name, channel }): RecentQuery[] => {
    const query = byName.get(name ?? '');
    return user === username && channel !== 'management' && query !== undefined ? [{ query, did: 'ran', at }] : [];
  });
  const changed = queries
    .filter((query) => isOwn(username, query))
    .map((query): RecentQuery => ({ query, did: 'changed', at: query.updatedAt }));
  const latest = [...ran, ...changed].toSorted((a, b) => b.at.localeCompare(a.at));
  return [...new Map(latest.toReversed().map((each) => [each.query.id, each])).values()]
    .toSorted((a, b) => b.at.localeCompare(a.at))
    .slice(0, MAX_SHOWN);
}

export const hasPublished = (username: string, queries: readonly Query[]): boolean =>
  queries.some((query) => query.status === 'Active' && isOwn(username, query));

const isOwn = (username: string, query: Query): boolean => query.updatedBy === username && !isOfDemo(query);

/** A query activated at the moment of its creation belongs to the demo catalog. */
const isOfDemo = ({ status, createdAt, updatedAt }: Query): boolean => status === 'Active' && createdAt === updatedAt;
