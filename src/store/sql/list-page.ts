import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type ListPage, type ListRequest, StoreError } from '../metadata-store.ts';
import { fold } from './fold.ts';

/** The conditions that every list shares. The three columns are ours, never a caller's. */
export function inList(
  request: ListRequest,
  columns: { readonly name: string; readonly id: string; readonly search: string },
): RawBuilder<SqlBool> {
  const conditions = [sql<SqlBool>`1 = 1`];
  const after = readCursor(request.cursor, isText, isText);
  if (after) conditions.push(sql`(${sql.ref(columns.name)}, ${sql.ref(columns.id)}) > (${after[0]}, ${after[1]})`);
  if (request.search) conditions.push(contains(columns.search, request.search));
  return sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
}

const longestPattern = 10_000; // SQLite refuses those over 50,000 bytes; no name is as long

export function contains(column: string, search: string): RawBuilder<SqlBool> {
  if (search.length > longestPattern) return sql`1 = 0`;
  const folded = fold(search);
  // SQLite compares twice as fast where no character is escaped
  if (!/[\\%_]/.test(folded)) return sql`${sql.ref(column)} like ${`%${folded}%`}`;
  return sql`${sql.ref(column)} like ${`%${folded.replace(/[\\%_]/g, '\\$&')}%`} escape '\\'`;
}

/** `rows` were asked for with one more than the limit, which tells whether there is another page. */
export function pageOf<Row, T>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => readonly [string | number, string | number],
  itemOf: (row: Row) => T,
): ListPage<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? writeCursor(cursorOf(last)) : null;
  return { items: items.map(itemOf), nextCursor };
}

/** Null for no cursor; one that is not ours is a StoreError. */
export function readCursor<A, B>(
  cursor: string | undefined,
  isFirst: (value: unknown) => value is A,
  isSecond: (value: unknown) => value is B,
): readonly [A, B] | null {
  if (cursor === undefined) return null;
  const [first, second] = parsed(Buffer.from(cursor, 'base64url').toString());
  if (!isFirst(first) || !isSecond(second)) throw new StoreError('bad-cursor', 'The cursor is none that a list gave out.');
  return [first, second];
}

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

export const writeCursor = (position: readonly [string | number, string | number]): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url');

function parsed(json: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
