import type { SentParameter } from '../../../catalog/parameter.ts';
import type { QueryForm, QueryReference } from '../../../delivery/deliver.ts';
import { failed, fieldMissing, type Result, succeeded } from '../../../errors.ts';
import { text } from '../argument.ts';

/** The arguments that name a query to run. Models also send `queryId`, or an id as the name; it is not listed, to keep schemas short. */
export const queryToRun = (description: string) => ({
  queryName: { ...text(description), listedAsRequired: true as const },
  queryId: { ...text('queryId of list_queries, in place of queryName.'), unlisted: true as const },
});

interface SentReference {
  readonly queryId: string | undefined;
  readonly queryName: string | undefined;
}

/** One of the two is required; both are accepted if they name the same query. */
export function referenceOf(read: Result<SentReference>, named = 'queryId or queryName'): Result<QueryReference> {
  if (!read.ok) return read;
  const { queryId, queryName } = read.value;
  if (!queryId && !queryName) return failed(fieldMissing(named));
  return succeeded({ queryName: queryName || undefined, id: queryId || undefined });
}

/** Converts the arguments of a tool that runs a query. */
export const runForm =
  <From extends SentReference & { readonly parameters: readonly SentParameter[] | undefined }, More extends object>(
    read: () => Result<From>,
    more: (values: From) => More,
  ): (() => Result<QueryForm & More>) =>
  () => {
    const values = read();
    if (!values.ok) return values;
    const reference = referenceOf(values, 'queryName');
    if (!reference.ok) return reference;
    const { queryName, id } = reference.value;
    const query = { queryName: queryName ?? id ?? '', ...(id === undefined ? {} : { queryId: id }) };
    return succeeded({ ...query, parameters: values.value.parameters ?? [], ...more(values.value) });
  };
