import type { SentParameter } from '../../../catalog/parameter.ts';
import { definedFields } from '../../../core/defined-fields.ts';
import { failed, fieldMissing, type Result, succeeded } from '../../../core/errors.ts';
import type { ContinueForm, RunForm } from '../../../pipeline/authorized.ts';
import type { QueryReference } from '../../../pipeline/find-query.ts';
import type { Partly, Read } from '../../input/fields.ts';
import { refuseForm } from '../../input/fields.ts';
import { text } from '../tool.ts';

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
export const readReference = (read: () => Result<SentReference>) => (): Result<QueryReference> => {
  const sent = read();
  if (!sent.ok) return sent;
  const reference = toReference(sent.value);
  return reference === undefined ? failed(fieldMissing('queryId or queryName')) : succeeded(reference);
};

/** Models mix them up: a name in the place of an id is read as a name, and the reverse. */
function toReference({ queryName, queryId }: SentReference): QueryReference | undefined {
  if (!queryName && !queryId) return undefined;
  if (queryName === queryId) return toReference({ queryName, queryId: undefined });
  const isSwapped = (!queryName || isId(queryName)) && (!queryId || !isId(queryId));
  const [name, id] = isSwapped ? [queryId, queryName] : [queryName, queryId];
  return { queryName: name || undefined, id: id || undefined };
}

const isId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** Converts the arguments of a tool that runs a query. */
export const readRun =
  <From extends SentRun, More extends object>(
    read: () => Read<From>,
    more: (values: From) => More,
  ): (() => Result<RunForm & More>) =>
  () => {
    const values = read();
    if (!values.ok) return refuse(values);
    const run = toReference(values.value);
    if (run === undefined) return failed(fieldMissing('queryName'));
    return succeeded({ run, parameters: values.value.parameters ?? [], ...more(values.value) });
  };

/** The same for a tool that also continues: a code needs no query. */
export const readRunOrContinue =
  <From extends SentRun & SentCode, More extends object>(
    read: () => Read<From>,
    more: (values: From) => More,
    kind: ContinueForm['kind'] = 'page',
  ): (() => Result<(RunForm | ContinueForm) & More>) =>
  () => {
    const values = read();
    if (!values.ok) return refuse(values);
    const { parameters, queryMoreCode } = values.value;
    if (!queryMoreCode) return readRun(() => values, more)();
    const query = toReference(values.value);
    return succeeded({
      continue: queryMoreCode,
      kind,
      ...definedFields({ query, parameters }),
      ...more(values.value),
    });
  };

function refuse<From extends SentRun>({ failure, partly }: Extract<Read<From>, { ok: false }>): ReturnType<typeof failed> {
  const { queryName, queryId, parameters, queryMoreCode: code }: Partly<SentRun & SentCode> = partly;
  return refuseForm(failure, { queryName, queryId, parameters, code });
}

interface SentRun extends SentReference {
  readonly parameters: readonly SentParameter[] | undefined;
}

interface SentCode {
  readonly queryMoreCode?: string | undefined;
}
