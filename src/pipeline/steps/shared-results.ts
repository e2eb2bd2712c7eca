import { createHash } from 'node:crypto';
import { figureDigestOf, rowsDigestOf } from '../../results/continuation.ts';
import type { Authorized, QueryForm } from '../authorized.ts';

/** What the rows of a result depend on. `values` include those that the caller's identity binds. */
export type RowSource = Pick<Authorized<QueryForm>, 'query' | 'database' | 'values'>;

/** Names are file names: values must not be recognizable without the secret. */
export type NameValues = (digest: string) => string;

/** The name under which calls of the same rows find a result: calls of every user if its author shares results, otherwise of one. */
export const nameResult = (nameValues: NameValues, source: RowSource, userId: string): string =>
  hashOf(source, nameValues(rowsDigestOf(source.query.id, source.values)), userId);

/** The same for a figure, which may be of an earlier day: relative moments are compared by their expressions. */
export const nameFigure = (nameValues: NameValues, source: RowSource, userId: string): string =>
  hashOf(source, nameValues(figureDigestOf(source.query.id, source.values)), userId);

const isSharedByAll = ({ query }: Pick<RowSource, 'query'>): boolean => (query.current.definition.cacheSeconds ?? 0) > 0;

function hashOf(source: RowSource, values: string, userId: string): string {
  const { query, database } = source;
  const same = [query.id, query.current.version, database.id, database.version, values];
  const owned = isSharedByAll(source) ? same : [...same, userId];
  return createHash('sha256').update(JSON.stringify(owned)).digest('base64url');
}
