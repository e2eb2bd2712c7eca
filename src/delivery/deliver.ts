import type { Principal } from '../access/principal.ts';
import type { SentParameter } from '../catalog/parameter.ts';
import type { Query } from '../catalog/query.ts';
import { failed, type Result, succeeded } from '../errors.ts';
import type { SnapshotPosition } from '../results/continuation.ts';
import type { BoundParameter } from '../sql-value.ts';
import type { DatabaseRecord } from '../store/metadata-store.ts';
import { admit, type AdmitParts, type AdmitRequest } from './admit.ts';
import { addParameterProblems, type BindParts, bindContinuation, bindRun } from './bind.ts';
import type { Call } from './call.ts';
import type { QueryReference } from './find-query.ts';
import type { AuditedStream, OpenedStream, Streamed } from './steps/audited-stream.ts';
import { type AuditDraft, type Audited, attempt } from './steps/audited.ts';
import type { SentChart } from './steps/embed-chart.ts';
import type { RowAllowance, RowQuota } from './steps/row-quota.ts';
import { type ResponseBytes, STREAM_BYTES } from './unsent-bytes.ts';

/** A call either runs a query or continues the result of an earlier call. */
export type QueryForm = RunForm | ContinueForm;

export interface RunForm {
  readonly run: QueryReference;
  readonly parameters: readonly SentParameter[];
  /** The choices of this parameter are wanted instead of rows: only the parameters that they depend on are bound. */
  readonly choicesOf?: string;
  /** A chart to embed: its problems are reported together with those of the parameters. */
  readonly embeddedChart?: SentChart;
}

export interface ContinueForm {
  readonly continue: string; // a QueryMoreCode, or the token of a stream
  readonly kind: 'page' | 'stream';
  /** If they are sent, they must be those of the result. */
  readonly query?: QueryReference;
  readonly parameters?: readonly SentParameter[];
}

export interface DeliveryRequest<Form extends QueryForm> extends AdmitRequest<Form> {
  readonly action: string; // in the audit trail
}

/** A call that passed every check: this principal runs this query with these values, or continues at this position. */
export interface Authorised<Form extends QueryForm> {
  readonly call: Call;
  readonly form: Form;
  readonly principal: Principal;
  readonly query: Query;
  readonly database: DatabaseRecord;
  readonly values: readonly BoundParameter[];
  readonly position: (SnapshotPosition & { readonly chunkIndex?: number }) | null; // null: the query is to run
  readonly draft: AuditDraft;
  readonly allowance: RowAllowance; // use-cases that return rows reserve them before they run
  readonly response: ResponseBytes; // use-cases that make large responses claim their bytes before
}

/** The part of a use-case that follows the checks. */
export type Take<Form extends QueryForm, T> = (authorised: Authorised<Form>) => Promise<Result<T>>;

export type Deliver = <Form extends QueryForm, T>(request: DeliveryRequest<Form>, take: Take<Form, T>) => Promise<Result<T>>;

export interface DeliverParts extends AdmitParts, BindParts {
  readonly audited: Audited;
  readonly rowQuota: RowQuota;
  readonly countRun: (queryId: string, principal: Principal) => void; // of every call that returned rows
}

/** The pipeline: admit → find → bind → quota → take, audited as a whole. */
export function createDeliver(parts: DeliverParts): Deliver {
  return (request, take) =>
    parts.audited(request.call, request.action, async (draft) => {
      const authorised = await authorise(parts, request, draft);
      if (!authorised.ok) return authorised;
      using allowance = authorised.value.allowance;
      const result = await take(authorised.value);
      if (!result.ok) return result;
      const sendable = authorised.value.response.claim(draft.responseBytes ?? 0);
      if (!sendable.ok) return sendable;
      countRows(parts, authorised.value, draft.rows, allowance);
      return result;
    });
}

/** The same for responses that are streams: audited before their last bytes are sent. */
export type DeliverStream = <Form extends QueryForm, T>(
  request: DeliveryRequest<Form>,
  take: Take<Form, OpenedStream<T>>,
) => Promise<Result<Streamed<T>>>;

export function createDeliverStream(parts: Omit<DeliverParts, 'audited'> & { auditedStream: AuditedStream }): DeliverStream {
  return (request, take) =>
    parts.auditedStream(request.call, request.action, async (draft) => {
      const authorised = await authorise(parts, request, draft);
      if (!authorised.ok) return authorised;
      using acquired = new DisposableStack(); // until the stream is open
      const allowance = acquired.use(authorised.value.allowance);
      const sendable = authorised.value.response.claim(STREAM_BYTES);
      if (!sendable.ok) return sendable;
      const opened = await attempt(() => take(authorised.value));
      if (!opened.ok) return opened;
      const held = acquired.move();
      const onEnd = (anyRead: boolean): void => {
        using _allowance = held;
        if (anyRead) countRows(parts, authorised.value, draft.rows, allowance);
      };
      return succeeded({ ...opened.value, onEnd });
    });
}

async function authorise<Form extends QueryForm>(
  parts: Omit<DeliverParts, 'audited'>,
  request: DeliveryRequest<Form>,
  draft: AuditDraft,
): Promise<Result<Authorised<Form>>> {
  const { call } = request;
  const admitted = await admit(parts, request, draft);
  if (!admitted.ok) return failed(await addParameterProblems(parts, call, admitted.failure, draft));
  const { principal, form } = admitted.value;
  const bound =
    'run' in form
      ? await bindRun(parts, call, principal, form, draft)
      : await bindContinuation(parts, call, principal, form, draft);
  if (!bound.ok) return bound;
  const allowance = await parts.rowQuota.acquire(principal);
  if (!allowance.ok) return allowance;
  const response = parts.unsent.open(call, principal);
  return succeeded({ call, form, principal, ...bound.value, draft, allowance: allowance.value, response });
}

function countRows(
  { countRun }: Pick<DeliverParts, 'countRun'>,
  { form, query, principal }: Authorised<QueryForm>,
  rows: number | null,
  allowance: RowAllowance,
): void {
  if (rows === null) return;
  allowance.settle(rows);
  const isRun = !('run' in form) || form.choicesOf === undefined;
  if (isRun) countRun(query.id, principal);
}
