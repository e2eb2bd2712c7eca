import type { Principal } from '../../access/principal.ts';
import type { DataLink, ShareParameters } from '../../access/share.ts';
import { takeOpen } from '../../catalog/open-parameters.ts';
import type { SentParameter } from '../../catalog/parameter.ts';
import { accountOf } from '../../core/account-of.ts';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import type { RowFormat } from '../../results/encode/row-format.ts';
import { fileNameOf, pathNameOf } from '../../results/file-name.ts';
import { SnapshotStorageError } from '../../results/snapshot/stop.ts';
import type { DataFile } from '../../store/metadata-store.ts';
import type { Authorized } from '../authorized.ts';
import type { Call } from '../call.ts';
import type { DeliverStream } from '../deliver.ts';
import { type RanVersion, ranVersion } from '../find-query.ts';
import type { OpenedStream, Streamed } from '../steps/audit-stream.ts';
import type { DataFiles, DataSource, LiveData, StoredData } from '../steps/data-files.ts';
import { nameFile, type NameValues } from '../steps/shared-results.ts';
import { type ByteRange, type SentRange, toByteRange } from './download.ts';
import { type Encode, exportFailure, type ExportForm } from './export.ts';

/** The conditions and the range in the headers of a reader. */
export interface DataConditions {
  readonly isHead: boolean;
  readonly range: SentRange | null;
  readonly ifRange: string | null; // an ETag
  readonly ifMatch: readonly string[] | '*' | null; // ETags
  readonly ifNoneMatch: readonly string[] | '*' | null; // ETags
  readonly coding: string | null; // of the response, if its content is coded
}

export interface DataHead {
  readonly status: 200 | 206 | 304;
  readonly format: RowFormat;
  readonly fileName: string;
  readonly ran: RanVersion;
  readonly cacheSeconds: number;
  readonly etag: string;
  readonly startedAt: number; // of the execution
  readonly size: number | null; // of the whole file; null: it is still being written
  readonly range: ByteRange | null;
}

export interface DataForm extends ExportForm {
  readonly conditions: DataConditions;
  readonly name?: string; // of the file; default: the name of the query
}

export type DeliverData = (call: Call, form: () => Result<DataForm>) => Promise<Result<Streamed<DataHead>>>;

/** The file that an address names, and what its query string sends. */
export interface LinkRequest {
  readonly fileName: string;
  readonly format: RowFormat;
  readonly sent: readonly SentParameter[];
  readonly conditions: DataConditions;
}
export type DeliverLink = (call: Call, request: LinkRequest) => Promise<Result<Streamed<DataHead>>>;

export interface DataParts {
  readonly deliverStream: DeliverStream;
  readonly encode: Encode;
  readonly files: DataFiles;
  readonly nameValues: NameValues;
}

/** The rows of a query for a reader with a credential. */
export const createDeliverData =
  (parts: DataParts): DeliverData =>
  (call, form) =>
    parts.deliverStream({ call, action: ACTION, form }, (authorized) => openData(parts, authorized));

/** The same for everyone who has the address: with the rights of its issuer, and only open parameters. */
export function createDeliverLink(
  parts: DataParts & { readonly parameters: ShareParameters; readonly recordView: (linkId: string) => void },
): DeliverLink {
  return (call, request) =>
    parts.deliverStream(
      { call, action: ACTION, form: (principal) => readLink(parts.parameters, principal, request) },
      async (authorized) => {
        const opened = await openData(parts, authorized);
        if (opened.ok && request.conditions.range === null) parts.recordView(authorized.form.link.id);
        return opened;
      },
    );
}

const ACTION = 'data.read';

interface LinkForm extends DataForm {
  readonly link: DataLink;
}

function readLink(kept: ShareParameters, { authentication }: Principal, request: LinkRequest): Result<LinkForm> {
  if (authentication.kind !== 'link') return failed({ kind: 'CredentialMissing' });
  const { link } = authentication;
  const { format, conditions } = request;
  const isNamed = request.fileName.normalize('NFC') === pathNameOf(link.name, format.name) && link.format === format.name;
  if (!isNamed) return failed({ kind: 'NotFound', what: 'file of this name under the link' });
  const stored = kept.open(link);
  if (stored === null) return failed({ kind: 'CredentialInvalid' }); // sealed under a secret that no longer exists
  const sent = takeOpen(link.open, request.sent, 'link');
  if (!sent.ok) return sent;
  const run = { queryName: link.queryName };
  return succeeded({ run, parameters: sent.value, kept: stored, format, conditions, name: link.name, link });
}

const WRITES = 'The query has an Epilogue, and a GET changes nothing. Run it by POST /api/v1/Export/ExecuteQuery.';

/** The file of the response, or the requested part of it. */
async function openData(parts: DataParts, authorized: Authorized<DataForm>): Promise<Result<OpenedStream<DataHead>>> {
  const { definition } = authorized.query.current;
  if (definition.epilogue !== undefined) return failed({ kind: 'MethodNotAllowed', allow: ['OPTIONS'], reason: WRITES });
  const removed = new Set<string>();
  while (removed.size < MOST_TRIES) {
    const opened = await tryOpen(parts, authorized, removed);
    if (opened !== null) return opened;
  }
  throw new SnapshotStorageError(new Error('the files were removed meanwhile'));
}

const MOST_TRIES = 5;

/** Null if the file was removed since it was found, because another call has written a newer one; its id is then in `removed`. */
async function tryOpen(
  parts: DataParts,
  authorized: Authorized<DataForm>,
  removed: Set<string>,
): Promise<Result<OpenedStream<DataHead>> | null> {
  const { call, form, principal, query, draft } = authorized;
  const { definition } = query.current;
  const { isHead, ifMatch, ifNoneMatch, range } = form.conditions;
  const isPart = isHead || ifMatch !== null || (range !== null && isRanged(form.format));
  const cacheSeconds = definition.cacheSeconds ?? 0;
  const name = nameFile(parts.nameValues, authorized, principal.userId, form.format.name);
  const opened = await parts.files.open({
    name,
    userId: accountOf(principal.userId), // whose space it takes
    isForOthers: principal.authentication.kind === 'link',
    arrivedAt: call.startedAt,
    cacheMs: cacheSeconds * 1000,
    isPart,
    isHead,
    removed,
    run: (signal) => run(parts, authorized, signal),
    failureOf: exportFailure,
    onEnd: call.onEnd,
  });
  if (!opened.ok) return opened;
  draft.cached = opened.value.isShared;
  const head = {
    format: form.format,
    fileName: fileNameOf(form.name ?? definition.name, form.format.name),
    cacheSeconds,
    ran: ranVersion(authorized),
  };
  const data = opened.value;
  if ('stored' in data && !isPart && ifNoneMatch === null) return openLive(authorized, head, data);
  const stored = 'stored' in data ? await data.stored : succeeded(data);
  if (!stored.ok) return stored;
  const { file } = stored.value;
  const found = !isPart || (await parts.files.notePart(name, file)) ? await openStored(authorized, head, stored.value) : null;
  if (found === null) removed.add(file.id);
  return found;
}

type KnownHead = Pick<DataHead, 'format' | 'fileName' | 'cacheSeconds' | 'ran'>;

function openLive({ draft, allowance }: Authorized<DataForm>, known: KnownHead, live: LiveData): Result<OpenedStream<DataHead>> {
  async function* body() {
    for await (const chunk of live.bytes()) {
      await allowance.holdAll(live.rows());
      draft.rows = live.rows();
      yield chunk;
    }
    draft.rows = live.rows();
  }
  const { etag, startedAt } = live;
  const head: DataHead = { ...known, status: 200, etag, startedAt, size: null, range: null };
  return succeeded({ head, body: body(), failureOf: exportFailure });
}

/** Null if the file was removed. */
async function openStored(
  authorized: Authorized<DataForm>,
  known: KnownHead,
  { file, read }: StoredData,
): Promise<Result<OpenedStream<DataHead>> | null> {
  const { form, draft, allowance } = authorized;
  const { etags, startedAt, size } = file;
  const { conditions, format } = form;
  const part = selectPart(conditions, file, isRanged(format));
  if (part === 'changed') return failed({ kind: 'FileChanged' });
  if (part === 'unsatisfiable') return failed({ kind: 'RangeInvalid', size });
  const range = typeof part === 'object' ? part : null;
  const head = { ...known, ran: ranVersion(authorized, file.queryVersion), etag: etags[0] ?? '', startedAt, size, range };
  if (part === 'unmodified') draft.status = 304;
  if (part === 'unmodified' || conditions.isHead)
    return succeeded({ head: { ...head, status: part === 'unmodified' ? 304 : 200 }, body: nothing(), failureOf: exportFailure });
  const { start, end } = range ?? { start: 0, end: size };
  // a part counts by its share of the bytes: otherwise parts would be a way past the limit of a key
  const rows = range === null ? file.rowCount : Math.ceil((file.rowCount * (end - start)) / size);
  await allowance.holdAll(rows);
  const body = await read(start, end);
  if (body === null) return null;
  draft.rows = rows;
  if (range !== null) draft.status = 206;
  return succeeded({ head: { ...head, status: range === null ? 200 : 206 }, body, failureOf: exportFailure });
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Formats that programs read in parts. */
export const isRanged = ({ name }: RowFormat): boolean => name === 'csv' || name === 'parquet';

/** RFC 9110, 13 and 14: the part of a file that a reader requests. */
function selectPart(
  { ifMatch, ifNoneMatch, ifRange, range, coding }: DataConditions,
  { etags, size }: Pick<DataFile, 'etags' | 'size'>,
  takesRanges: boolean,
): 'whole' | 'changed' | 'unmodified' | 'unsatisfiable' | ByteRange {
  const tags = etags.map((etag) => toTag(etag, coding));
  if (ifMatch !== null && ifMatch !== '*' && !ifMatch.some((tag) => tags.includes(tag))) return 'changed';
  if (ifNoneMatch === '*' || ifNoneMatch?.some((tag) => tags.includes(tag.replace(/^W\//, '')))) return 'unmodified';
  if (range === null || !takesRanges) return 'whole';
  if (ifRange !== null && !etags.some((etag) => toTag(etag, null) === ifRange)) return 'whole';
  return toByteRange(range, size) ?? 'unsatisfiable';
}

/** An ETag for each content coding. */
export const toTag = (etag: string, coding: string | null): string => `"${etag}${coding === null ? '' : `-${coding}`}"`;

/** Runs the query for all readers of its rows until the last one disconnects. Each reader reserves the rows that it reads. */
async function run({ encode }: DataParts, authorized: Authorized<DataForm>, signal: AbortSignal): Promise<Result<DataSource>> {
  const { call, form, principal, query } = authorized;
  const draft = { ...authorized.draft, rows: null };
  // readers of a link may share a failure of its issuer: it has no text for authors
  const permissions = principal.permissions.filter((each) => each === 'queries.run');
  const allowance = { ...authorized.allowance, holdAll: async () => undefined };
  const shared = { ...authorized, call: { ...call, signal }, principal: { ...principal, permissions }, draft, allowance };
  const encoding = await encode(shared);
  if (!encoding.ok) return encoding;
  const about = {
    userId: principal.userId,
    keyId: null,
    forAssistant: false,
    queryName: query.queryName,
    queryVersion: query.current.version,
    parameters: null,
    format: form.format.name,
    fileName: fileNameOf(query.current.definition.name, form.format.name),
    mimeType: form.format.mimeType,
    rowCount: 0,
  };
  return succeeded({ ...encoding.value, rows: () => draft.rows ?? 0, about });
}
