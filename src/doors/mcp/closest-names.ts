import { findClosestName } from '../../catalog/closest-name.ts';
import type { Failure } from '../../core/errors.ts';
import type { Call } from '../../pipeline/call.ts';
import type { Browse } from '../../pipeline/use-cases/browse.ts';

const MOST_CLOSEST = 3;

/** Models mistype names: a failure to find a query gets the closest names among those that the caller may run. */
export async function addClosestNames(
  browse: Pick<Browse, 'similarNames'>,
  call: Call,
  { queryName, queryId }: Readonly<Record<string, unknown>>,
  failure: Failure,
): Promise<Failure> {
  const sent = queryName || queryId;
  if (failure.kind !== 'QueryNotAccessible' || 'displayName' in failure || typeof sent !== 'string') return failure;
  const names = await browse.similarNames(call, sent);
  const known = [...new Set([findClosestName(sent, names), ...names].filter((name) => name !== undefined))];
  return { ...failure, closest: known.slice(0, MOST_CLOSEST) };
}
