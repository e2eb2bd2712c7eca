import { createHash } from 'node:crypto';
import { isViewer } from '../../core/account-of.ts';
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

/** The name of a file with the whole result, which only calls of the same user share. */
export const nameFile = (nameValues: NameValues, source: RowSource, userId: string, format: string): string =>
  hashAll([...sameRows(source, nameValues(rowsDigestOf(source.query.id, source.values))), userId, format]);

const isSharedByAll = ({ query }: Pick<RowSource, 'query'>): boolean => (query.current.definition.cacheSeconds ?? 0) > 0;

const hashOf = (source: RowSource, values: string, userId: string): string =>
  hashAll(isSharedByAll(source) && !isViewer(userId) ? sameRows(source, values) : [...sameRows(source, values), userId]);

const sameRows = ({ query, database }: RowSource, values: string): readonly (string | number)[] => [
  query.id,
  query.current.version,
  database.id,
  database.version,
  values,
];

const hashAll = (parts: readonly unknown[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
