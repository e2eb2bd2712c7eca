import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type ListPage, type ListRequest, StoreError } from '../../metadata-store.ts';
import { normalizeText } from './normalize-text.ts';

/** The conditions of a list by name, then by id. `searched` is the column that contains a search. */
export function listCondition({ cursor, search }: ListRequest, searched: 'name_key' | 'search_text'): RawBuilder<SqlBool> {
  const conditions = [sql<SqlBool>`1 = 1`];
  const after = readCursor(cursor, isText, isText);
  if (after) conditions.push(sql`(name_key, id) > (${after[0]}, ${after[1]})`);
  if (search) conditions.push(contains(searched, search));
  return sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
}

const MAX_PATTERN_LENGTH = 10_000; // SQLite rejects patterns over 50,000 bytes; no name is as long

export function contains(column: string, search: string): RawBuilder<SqlBool> {
  if (search.length > MAX_PATTERN_LENGTH) return sql`1 = 0`;
  const text = normalizeText(search);
  // SQLite compares twice as fast if no character is escaped
  if (!/[\\%_]/.test(text)) return sql`${sql.ref(column)} like ${`%${text}%`}`;
  return sql`${sql.ref(column)} like ${likePattern(text)} escape '\\'`;
}

/** With `escape '\'`. */
export const likePattern = (text: string): string => `%${text.slice(0, MAX_PATTERN_LENGTH).replace(/[\\%_]/g, '\\$&')}%`;

type Position = readonly [string | number, string | number];

/** `rows` has one row more than `limit` if there is another page. */
export function pageOf<Row, T>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => Position,
  itemOf: (row: Row) => T,
): ListPage<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? writeCursor(cursorOf(last)) : null;
  return { items: items.map(itemOf), nextCursor };
}

/** Null without a cursor; a cursor that no list issued is a StoreError. */
export function readCursor<A, B>(
  cursor: string | undefined,
  isFirst: (value: unknown) => value is A,
  isSecond: (value: unknown) => value is B,
): readonly [A, B] | null {
  if (cursor === undefined) return null;
  const [first, second] = parseList(Buffer.from(cursor, 'base64url').toString());
  if (!isFirst(first) || !isSecond(second)) throw new StoreError('bad-cursor', 'No list has issued this cursor.');
  return [first, second];
}

export const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0'); // PostgreSQL does not accept NUL
export const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

export const writeCursor = (position: Position): string => Buffer.from(JSON.stringify(position)).toString('base64url');

function parseList(json: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
