import type { CompiledQuery, QueryResult } from 'kysely';
import type { Db } from './schema.ts';

/** A statement of the hot path: compiled once for the store, prepared once on each connection. */
export interface HotQuery<R> extends CompiledQuery<R> {
  readonly preparedName: string;
}

/** The parameters it was compiled with stand only for their places. */
export const hotQuery = <R>(preparedName: string, compiled: CompiledQuery<R>): HotQuery<R> => ({ ...compiled, preparedName });

export async function runHot<R>(db: Db, query: HotQuery<R>, parameters: readonly unknown[]): Promise<R[]> {
  const hot: HotQuery<R> = { ...query, parameters };
  const run: Run = shortcuts.get(db) ?? ((each) => db.executeQuery(each));
  const { rows } = await run<R>(hot);
  return rows;
}

type Run = <R>(query: CompiledQuery<R>) => Promise<QueryResult<R>>;

/** Lets the hot queries of a database go straight to its driver. Those of a transaction, which has a `Db` of its own, do not. */
export function shortenHotPath(db: Db, run: Run): void {
  shortcuts.set(db, run);
}

const shortcuts = new WeakMap<Db, Run>();

export function preparedName(query: CompiledQuery): string | undefined {
  return 'preparedName' in query && typeof query.preparedName === 'string' ? query.preparedName : undefined;
}
