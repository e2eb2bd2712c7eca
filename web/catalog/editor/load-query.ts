import { call } from '../../app/api.ts';
import type { Query } from '../../app/wire.ts';

/** A query in the editor: the version that callers see, and the one that edits and moves apply to. They differ if there is a draft. */
export interface LoadedQuery {
  readonly current: Query;
  readonly target: Query;
}

export async function loadQuery(id: string, signal?: AbortSignal): Promise<LoadedQuery> {
  const current = await call('GET /api/v1/queries/{id}', { params: { id } }, { signal });
  if (current.draft === null) return { current, target: current };
  const target = await call('GET /api/v1/queries/{id}', { params: { id }, query: { version: 'draft' } }, { signal });
  return { current, target };
}
