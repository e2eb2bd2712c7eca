import type { SentParameter } from '../../../catalog/parameter.ts';
import type { QueryForm } from '../../../delivery/deliver.ts';
import type { QueryReference } from '../../../delivery/steps/find-query.ts';
import { failed, fieldMissing, type Result, succeeded } from '../../../errors.ts';
import type { Partly, Read } from '../../input/fields.ts';
import { refusedForm } from '../../input/sent-query.ts';
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
export function referenceOf(read: Result<SentReference>): Result<QueryReference> {
  if (!read.ok) return read;
  const { queryId, queryName } = read.value;
  if (!queryId && !queryName) return failed(fieldMissing('queryId or queryName'));
  return succeeded({ queryName: queryName || undefined, id: queryId || undefined });
}

/** Converts the arguments of a tool that runs a query. A code without parameters needs no query. */
export const runForm =
  <From extends SentRun, More extends object>(
    read: () => Read<From>,
    more: (values: From) => More,
  ): (() => Result<QueryForm & More & { codeAlone?: true }>) =>
  () => {
    const values = read();
    if (!values.ok) {
      const sent: Partly<SentRun> = values.partly;
      const { queryName, queryId, parameters, queryMoreCode: code } = sent;
      return refusedForm(values.failure, { queryName, queryId, parameters, code });
    }
    const { queryName, queryId, parameters, queryMoreCode } = values.value;
    const isCodeAlone = parameters === undefined && queryMoreCode !== undefined && queryMoreCode !== '';
    if (!queryName && !queryId && !isCodeAlone) return failed(fieldMissing('queryName'));
    const query = { queryName: queryName || queryId || '', ...(queryId ? { queryId } : {}) };
    return succeeded({
      ...query,
      parameters: parameters ?? [],
      ...(isCodeAlone ? { codeAlone: true } : {}),
      ...more(values.value),
    });
  };

interface SentRun extends SentReference {
  readonly parameters: readonly SentParameter[] | undefined;
  readonly queryMoreCode?: string | undefined;
}
