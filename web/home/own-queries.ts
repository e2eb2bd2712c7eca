import type { Query } from '../app/wire.ts';

export const hasPublished = (username: string, queries: readonly Query[]): boolean =>
  queries.some((query) => query.status === 'Active' && isOwn(username, query));

const isOwn = (username: string, query: Query): boolean => query.updatedBy === username && !isFromDemo(query);

/** A query activated at the moment of its creation belongs to the demo catalog. */
const isFromDemo = ({ status, createdAt, updatedAt }: Query): boolean => status === 'Active' && createdAt === updatedAt;
