import type { ParameterDefinition } from '../../catalog/query.ts';
import { failed, type Result, succeeded } from '../../errors.ts';
import type { Call } from '../call.ts';
import { type DeliverParts, findRunnable } from '../deliver.ts';

export type DeliverParameters = (call: Call, queryName: () => Result<string>) => Promise<Result<QueryParameters>>;

export interface QueryParameters {
  readonly queryName: string;
  readonly parameters: readonly ParameterDefinition[];
}

/** What a query takes, for those who may run it. */
export function createDeliverParameters({ audited, authenticate, withinRate, store }: DeliverParts): DeliverParameters {
  return (call, queryName) =>
    audited(call, 'query.parameters', async (draft) => {
      const principal = await authenticate(call.credential, call.address);
      if (!principal.ok) return principal;
      draft.principal = principal.value;
      const rate = withinRate(principal.value);
      if (!rate.ok) return rate;
      const name = queryName();
      if (!name.ok) return name;
      draft.query = name.value.slice(0, 300);
      const found = await findRunnable(store, principal.value, name.value);
      if (found === null) return failed({ kind: 'QueryNotAccessible' });
      draft.queryVersion = found.query.current.version;
      return succeeded({ queryName: found.query.queryName, parameters: found.query.current.definition.parameters });
    });
}
