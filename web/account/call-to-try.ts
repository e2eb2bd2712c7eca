import type { Query } from '../app/wire.ts';
import { callWithKey, type HttpCall } from '../components/copy/curl.ts';
import { sentParameters, startingValues } from '../components/parameters/parameter-values.ts';
import { runsAtOnce } from '../components/queries/runs-at-once.ts';
import { partsOf } from '../components/run/use-run-query.ts';

const FEW_ROWS = 10;

/** A call that a new key can make: one of its queries where one needs no values, else who am I. */
export function callToTry(
  queries: readonly Query[],
  { key, queries: narrowedTo }: { readonly key: string; readonly queries: readonly string[] | null },
  baseUrl?: string,
): HttpCall {
  const query = queries.find((each) => runsAtOnce(each) && (narrowedTo?.includes(each.queryName) ?? true));
  if (query === undefined) return callWithKey('GET /api/v1/account', {}, key, baseUrl);
  const parameters = sentParameters(query.parameters, startingValues(query.parameters));
  const parts = partsOf({ queryName: query.queryName, parameters, rowSize: FEW_ROWS });
  return callWithKey('POST /api/v1/JsonBuilder/ExecuteQuery', parts, key, baseUrl);
}
