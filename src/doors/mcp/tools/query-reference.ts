import type { QueryReference } from '../../../delivery/use-cases/browse.ts';
import { failed, type Result, succeeded } from '../../../errors.ts';

interface SentReference {
  readonly queryId: string | undefined;
  readonly queryName: string | undefined;
}

/** One of the two is required; both are accepted if they name the same query. */
export function referenceOf(read: Result<SentReference>): Result<QueryReference> {
  if (!read.ok) return read;
  const { queryId, queryName } = read.value;
  if (!queryId && !queryName) return failed({ kind: 'FieldMissing', field: 'queryId or queryName' });
  return succeeded({ ...(queryId ? { id: queryId } : {}), ...(queryName ? { queryName } : {}) });
}
