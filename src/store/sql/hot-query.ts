import type { CompiledQuery } from 'kysely';
import type { Db } from './schema.ts';

/** A statement of the hot path: compiled once for the store, prepared once on each connection. */
export interface HotQuery<R> extends CompiledQuery<R> {
  readonly preparedName: string;
}

/** The parameters it was compiled with stand only for their places. */
export const hotQuery = <R>(preparedName: string, compiled: CompiledQuery<R>): HotQuery<R> => ({ ...compiled, preparedName });

export async function runHot<R>(db: Db, query: HotQuery<R>, parameters: readonly unknown[]): Promise<R[]> {
  const hot: HotQuery<R> = { ...query, parameters };
  const { rows } = await db.executeQuery<R>(hot);
  return rows;
}

export function preparedName(query: CompiledQuery): string | undefined {
  return 'preparedName' in query && typeof query.preparedName === 'string' ? query.preparedName : undefined;
}
