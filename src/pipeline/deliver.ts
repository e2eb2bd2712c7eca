import type { Principal } from '../access/principal.ts';
import { failed, type Result, succeeded } from '../core/errors.ts';
import type { ModelAnswer } from '../store/metadata-store.ts';
import { admit, type AdmitParts, type AdmitRequest } from './admit.ts';
import type { Authorized, QueryForm } from './authorized.ts';
import { addParameterProblems, type BindParts, bindContinuation, bindRun } from './bind.ts';
import type { RowAllowance, RowQuota } from './limits/row-quota.ts';
import { STREAM_BYTES } from './limits/unsent-bytes.ts';
import { type AuditDraft, type AuditCall, attempt } from './steps/audit-call.ts';
import type { AuditStream, OpenedStream, Streamed } from './steps/audit-stream.ts';

export interface DeliveryRequest<Form extends QueryForm> extends AdmitRequest<Form> {
  readonly action: string; // in the audit trail
}

/** The part of a use-case that follows the checks. */
export type Take<Form extends QueryForm, T> = (authorized: Authorized<Form>) => Promise<Result<T>>;

export type Deliver = <Form extends QueryForm, T>(request: DeliveryRequest<Form>, take: Take<Form, T>) => Promise<Result<T>>;

export interface DeliverParts extends AdmitParts, BindParts {
  readonly auditCall: AuditCall;
  readonly rowQuota: RowQuota;
  /** Of every call that returned rows; `answer` if they are what an AI assistant gets by default. */
  readonly countRun: (queryId: string, principal: Principal, answer: ModelAnswer | null) => void;
}

/** The pipeline: admit → find → bind → quota → take, audited as a whole. */
export function createDeliver(parts: DeliverParts): Deliver {
  return (request, take) =>
    parts.auditCall(request.call, request.action, async (draft) => {
      const authorized = await authorize(parts, request, draft);
      if (!authorized.ok) return authorized;
      using allowance = authorized.value.allowance;
      const result = await take(authorized.value);
      if (!result.ok) return result;
      const sendable = authorized.value.response.claim(draft.responseBytes ?? 0);
      if (!sendable.ok) return sendable;
      countRows(parts, authorized.value, draft, allowance);
      return result;
    });
}

/** The same for responses that are streams: audited before their last bytes are sent. */
export type DeliverStream = <Form extends QueryForm, T>(
  request: DeliveryRequest<Form>,
  take: Take<Form, OpenedStream<T>>,
) => Promise<Result<Streamed<T>>>;

export function createDeliverStream(parts: Omit<DeliverParts, 'auditCall'> & { auditStream: AuditStream }): DeliverStream {
  return (request, take) =>
    parts.auditStream(request.call, request.action, async (draft) => {
      const authorized = await authorize(parts, request, draft);
      if (!authorized.ok) return authorized;
      using acquired = new DisposableStack(); // until the stream is open
      const allowance = acquired.use(authorized.value.allowance);
      const sendable = authorized.value.response.claim(STREAM_BYTES);
      if (!sendable.ok) return sendable;
      const opened = await attempt(() => take(authorized.value));
      if (!opened.ok) return opened;
      const held = acquired.move();
      const onEnd = (anyRead: boolean): void => {
        using _allowance = held;
        if (anyRead) countRows(parts, authorized.value, draft, allowance);
      };
      return succeeded({ ...opened.value, onEnd });
    });
}

async function authorize<Form extends QueryForm>(
  parts: Omit<DeliverParts, 'auditCall'>,
  request: DeliveryRequest<Form>,
  draft: AuditDraft,
): Promise<Result<Authorized<Form>>> {
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
  { form, query, principal }: Authorized<QueryForm>,
  { rows, modelAnswer }: AuditDraft,
  allowance: RowAllowance,
): void {
  if (rows === null) return;
  allowance.settle(rows);
  const isRun = !('run' in form) || form.choicesOf === undefined;
  if (isRun) countRun(query.id, principal, modelAnswer ?? null);
}
