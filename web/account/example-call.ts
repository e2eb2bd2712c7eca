import type { Query } from '../app/wire.ts';
import { callWithKey, type HttpCall, keyFromVariable } from '../components/copy/curl.ts';
import { toSentParameters, toInitialValues } from '../components/parameters/parameter-values.ts';
import { runsWithoutInput } from '../components/queries/runs-without-input.ts';
import { partsOf } from '../components/run/use-run-query.ts';

const FEW_ROWS = 10;

/** A call that a new key can make, without the key: a query that needs no input, or else `GET /account`. */
export function exampleCall(
  queries: readonly Query[],
  { queries: narrowedTo }: { readonly queries: readonly string[] | null },
  baseUrl: string,
): HttpCall {
  const query = queries.find((each) => runsWithoutInput(each) && (narrowedTo?.includes(each.queryName) ?? true));
  if (query === undefined) return callWithKey('GET /api/v1/account', {}, keyFromVariable, baseUrl);
  const parameters = toSentParameters(query.parameters, toInitialValues(query.parameters));
  const parts = partsOf({ queryName: query.queryName, parameters, rowSize: FEW_ROWS });
  return callWithKey('POST /api/v1/JsonBuilder/ExecuteQuery', parts, keyFromVariable, baseUrl);
}
