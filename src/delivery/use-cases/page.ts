import type { ParameterDefinition, Query } from '../../catalog/query.ts';
import { classifyColumns } from '../../charts/classify.ts';
import type { Config } from '../../config.ts';
import { failed, type Result, succeeded } from '../../errors.ts';
import type { ClassifiedColumn } from '../../results/classified-column.ts';
import { type Continuations, digestOf } from '../../results/continuation.ts';
import { labelColumns } from '../../results/labels.ts';
import type { ResultPage } from '../../results/result-page.ts';
import type { ReadAnswer, ReadRequest, Snapshots } from '../../results/snapshot/snapshots.ts';
import type { MetadataStore } from '../../store/metadata-store.ts';
import type { Call } from '../call.ts';
import type { Authorised, Deliver, QueryForm } from '../deliver.ts';
import { type Execute, executionFailure } from '../steps/execute.ts';

export interface PageForm extends QueryForm {
  readonly rowIndex?: number;
  readonly rowSize?: number;
  readonly code?: string; // QueryMoreCode
}

export interface Page {
  readonly rows: Buffer; // JSON objects with commas between them
  readonly rowSize: number; // as used
  readonly nextRowIndex: number;
  readonly code: string | null;
  readonly columns: readonly ClassifiedColumn[];
}

export type DeliverPage = (call: Call, form: () => Result<PageForm>) => Promise<Result<Page>>;

export interface PageParts {
  readonly deliver: Deliver;
  readonly execute: Execute;
  readonly snapshots: Snapshots;
  readonly continuations: Continuations;
  readonly store: Pick<MetadataStore, 'queries'>;
  readonly config: () => Config;
  /** For the log: a result broke after its first page was answered, so no caller was told the cause. */
  readonly drainFailed: (requestId: string, queryName: string, error: unknown) => void;
}

const MAX_PAGE_BYTES = 16 << 20;

/** The first page runs the query; a page with a code is read from the snapshot that the first one began. */
export function createDeliverPage(parts: PageParts): DeliverPage {
  return (call, form) =>
    parts.deliver(
      { call, action: 'query.execute', form, parametersOf: (read, query) => parametersOf(parts, read, query) },
      (authorised) =>
        authorised.form.code === undefined ? firstPage(parts, authorised) : nextPage(parts, authorised, authorised.form.code),
    );
}

async function firstPage(parts: PageParts, authorised: Authorised<PageForm>): Promise<Result<Page>> {
  const { form, query, principal, values, draft } = authorised;
  let answered = false;
  const execution = await parts.execute(authorised);
  if (!execution.ok) return execution;
  const { definition, version } = query.current;
  try {
    const columns = labelColumns(execution.value.rows.columns, definition.columns);
    const digest = digestOf(query.id, values);
    const rowSize = sizeOf(parts, form.rowSize);
    const taken = await parts.snapshots.take(execution.value.rows, {
      owner: { userId: principal.userId, queryId: query.id, queryName: query.queryName, queryVersion: version, digest },
      columns,
      classify: (seen) => classifyColumns(columns, definition.columns, seen),
      rowIndex: form.rowIndex ?? 0,
      rowSize,
      maxPageBytes: MAX_PAGE_BYTES,
      ...(definition.maxRows === undefined ? {} : { maxRows: definition.maxRows }),
      wholeBeforeFirstPage: definition.epilogue !== undefined,
      onEnd: (outcome) => {
        if (answered && outcome.state === 'failed') parts.drainFailed(authorised.call.requestId, query.queryName, outcome.error);
      },
    });
    answered = true;
    execution.value.continueAlone();
    if (taken.kind === 'incomplete') return failed({ kind: 'SnapshotIncomplete', reason: taken.reason });
    note(draft, taken.page);
    return succeeded(pageOf(parts, authorised, taken.page, taken.snapshotId, rowSize, digest));
  } catch (error) {
    await execution.value.rows.close().catch(() => undefined); // whatever broke, the place is given back
    return failed(executionFailure(error));
  }
}

async function nextPage(parts: PageParts, authorised: Authorised<PageForm>, code: string): Promise<Result<Page>> {
  const { form, query, principal, values, draft, call } = authorised;
  draft.action = 'query.next-page';
  const position = parts.continuations.read(code, 'page');
  if (position === null) return failed({ kind: 'ContinuationInvalid' });
  if (position.userId !== principal.userId) return failed({ kind: 'ContinuationForeign' });
  const digest = digestOf(query.id, values);
  if (position.queryId !== query.id || position.digest !== digest) return failed({ kind: 'ContinuationInvalid' });

  const rowSize = sizeOf(parts, form.rowSize ?? position.rowSize);
  const rowIndex = form.rowIndex ?? position.rowIndex;
  const request = { rowIndex, rowSize, maxPageBytes: MAX_PAGE_BYTES, signal: call.signal };
  const found = await readSnapshot(parts.snapshots, position.snapshotId, request);
  if (!found.ok) return found;
  const read = found.value;
  switch (read.kind) {
    case 'gone':
    case 'expired':
      return failed({ kind: 'ContinuationExpired' });
    case 'incomplete':
      return failed({ kind: 'SnapshotIncomplete', reason: read.reason });
    case 'page':
      draft.queryVersion = read.manifest.queryVersion;
      note(draft, read.page);
      return succeeded(pageOf(parts, authorised, read.page, position.snapshotId, rowSize, digest));
  }
}

/** Reading fails where the caller left while the drain was awaited, and where the disk fails. */
async function readSnapshot(snapshots: Snapshots, id: string, request: ReadRequest): Promise<Result<ReadAnswer>> {
  try {
    return succeeded(await snapshots.read(id, request));
  } catch (cause) {
    return failed({ kind: request.signal?.aborted === true ? 'QueryCancelled' : 'StoreUnavailable', cause });
  }
}

/** A new version of the query does not disturb a snapshot: its pages are asked for with the parameters of the version that ran. */
async function parametersOf(parts: PageParts, form: PageForm, query: Query): Promise<readonly ParameterDefinition[]> {
  const current = query.current.definition.parameters;
  const position = form.code === undefined ? null : parts.continuations.read(form.code, 'page');
  if (position === null || position.queryId !== query.id) return current;
  const manifest = await parts.snapshots.manifest(position.snapshotId);
  if (manifest === null || manifest.queryVersion === query.current.version) return current;
  const versions = await parts.store.queries.versions(query.id);
  return versions.find((each) => each.version === manifest.queryVersion)?.definition.parameters ?? current;
}

function pageOf(
  parts: PageParts,
  { principal, query }: Authorised<PageForm>,
  page: ResultPage,
  snapshotId: string | null,
  rowSize: number,
  digest: string,
): Page {
  const position = { userId: principal.userId, queryId: query.id, digest, rowIndex: page.nextRowIndex, rowSize };
  return {
    rows: page.rows,
    rowSize,
    nextRowIndex: page.nextRowIndex,
    code: page.hasMore && snapshotId !== null ? parts.continuations.issue({ kind: 'page', snapshotId, ...position }) : null,
    columns: page.columns,
  };
}

const sizeOf = ({ config }: PageParts, asked: number | undefined): number =>
  Math.min(asked ?? config().rowsDefault, config().rowsMax);

function note(draft: Authorised<PageForm>['draft'], page: ResultPage): void {
  draft.rows = page.rowCount;
  draft.bytes = page.rows.length;
}
