import type { SentParameter } from '../../catalog/parameter.ts';
import { type Failure, failed, type SentQuery } from '../../core/errors.ts';

interface PartlySent {
  readonly queryName: string | null | undefined;
  readonly queryId?: string | null | undefined;
  readonly parameters: readonly SentParameter[] | null | undefined;
  readonly code?: string | null | undefined; // continues a result, whose query has its own parameters
  readonly chart?: SentQuery['chart'];
}

/**
 * Refuses a request with what could be read of it: if the caller may run the query, the problems of the parameters and of the
 * chart are reported together with those of the form.
 */
export function refuseForm(
  failure: Failure,
  { queryName, queryId, parameters, code, chart }: PartlySent,
): ReturnType<typeof failed> {
  if (!('problems' in failure) || parameters === null || code === null || code) return failed(failure);
  if (!queryName && !queryId) return failed(failure);
  const sent = {
    queryName: queryName || queryId || '',
    parameters: parameters ?? [],
    ...(queryId ? { queryId } : {}),
    ...(chart ? { chart } : {}),
  };
  return failed({ ...failure, sent });
}
