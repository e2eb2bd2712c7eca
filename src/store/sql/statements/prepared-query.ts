import type { Compilable, CompiledQuery } from 'kysely';
import type { Db } from '../schema.ts';

/** A statement with one parameter that calls run often: compiled once for the store, prepared once on each connection. */
export interface PreparedQuery<R> extends CompiledQuery<R> {
  readonly preparedName: string;
}

/** The parameter of `query` is a placeholder. */
export const prepareQuery = <R>(preparedName: string, query: Compilable<R>): PreparedQuery<R> => ({
  ...query.compile(),
  preparedName,
});

export async function run<R>(db: Db, query: PreparedQuery<R>, parameter: string): Promise<R[]> {
  const { rows } = await db.executeQuery<R>({ ...query, parameters: [parameter] });
  return rows;
}

export function preparedNameOf(query: CompiledQuery): string | undefined {
  return 'preparedName' in query && typeof query.preparedName === 'string' ? query.preparedName : undefined;
}
