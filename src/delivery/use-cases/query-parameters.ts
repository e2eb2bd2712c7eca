import type { ParameterDefinition } from '../../catalog/query.ts';
import { failed, type Result, succeeded } from '../../errors.ts';
import type { Call } from '../call.ts';
import { type DeliverParts, findRunnable } from '../deliver.ts';
import { createIdentified } from '../steps/identified.ts';

export type DeliverParameters = (call: Call, queryName: () => Result<string>) => Promise<Result<QueryParameters>>;

export interface QueryParameters {
  readonly queryName: string;
  readonly parameters: readonly ParameterDefinition[];
}

/** What a query takes, for those who may run it. */
export function createDeliverParameters(parts: DeliverParts): DeliverParameters {
  const identified = createIdentified(parts);
  return (call, queryName) =>
    identified(call, 'query.parameters', queryName, async (principal, name, draft) => {
      draft.query = name.slice(0, 300);
      const found = await findRunnable(parts.store, principal, name);
      if (found === null) return failed({ kind: 'QueryNotAccessible' });
      draft.queryVersion = found.query.current.version;
      return succeeded({ queryName: found.query.queryName, parameters: found.query.current.definition.parameters });
    });
}
