import { identityOf, type Principal } from '../access/principal.ts';
import type { Channel } from '../audit/audit-entry.ts';
import { bindParameters, declaredName, sendable, type SentParameter, withDeclaredNames } from '../catalog/parameter.ts';
import type { ParameterDefinition, Query } from '../catalog/query.ts';
import type { Present } from '../catalog/relative-moment.ts';
import { type Failure, type FieldProblem, failed, inputRefused, type Result, succeeded } from '../errors.ts';
import type { SnapshotPosition } from '../results/continuation.ts';
import type { BoundParameter, BoundValue } from '../sql-value.ts';
import type { DatabaseRecord, MetadataStore } from '../store/metadata-store.ts';
import type { Call } from './call.ts';
import type { AuditedStream, OpenedStream, Streamed } from './steps/audited-stream.ts';
import { type AuditDraft, type Audited, attempt } from './steps/audited.ts';
import type { Authenticate } from './steps/authenticate.ts';
import { findNamed, findReferenced, findRunnableById, type QueryReference, type RunnableQuery } from './steps/find-query.ts';
import type { RowAllowance, RowQuota } from './steps/row-quota.ts';
import type { WithinRate } from './steps/within-rate.ts';
import { type ResponseBytes, STREAM_BYTES, type UnsentBytes } from './unsent-bytes.ts';

export interface DeliveryRequest<Form extends QueryForm> {
  readonly call: Call;
  readonly action: string;
  /** If the action depends on the form. */
  readonly actionOf?: (form: Form) => string;
  /** Reads the form of the request; called only with a valid credential, so that others learn nothing from its errors. */
  readonly form: (principal: Principal) => Result<Form>;
  /** Whether it continues an earlier execution, whose parameters are then not bound to the caller again. */
  readonly isContinued?: (form: Form) => boolean;
  /** The declared parameters to bind, if they are not those of the current version. */
  readonly parametersOf?: (form: Form, query: Query) => Promise<readonly ParameterDefinition[]> | undefined;
  /** Problems of other fields of the form with this query, which are reported together with those of the parameters. */
  readonly problemsOf?: (form: Form, query: Query) => readonly FieldProblem[];
  /** The position that a form without parameters continues from; undefined if it runs the query. */
  readonly positionOf?: (form: Form) => Result<SnapshotPosition> | undefined;
}

export interface QueryForm {
  readonly queryName: string; // empty: that of the code
  readonly queryId?: string; // over MCP, in place of the name or beside it
  readonly parameters: readonly SentParameter[];
}

/** A call that passed every check: this principal runs this query with these values. */
export interface Authorised<Form extends QueryForm> {
  readonly call: Call;
  readonly form: Form;
  readonly principal: Principal;
  readonly query: Query;
  readonly database: DatabaseRecord;
  readonly values: readonly BoundParameter[];
  readonly position?: SnapshotPosition; // of a call that continues without parameters; it has no values
  readonly draft: AuditDraft;
  readonly allowance: RowAllowance; // use-cases that return rows reserve them before they run
  readonly response: ResponseBytes; // use-cases that make large responses claim their bytes before
}

/** A caller who may run a query, and the values of its parameters. */
export type ChoiceRequest = Pick<Authorised<QueryForm>, 'call' | 'principal' | 'query' | 'values'>;

/** Refuses values of parameters with `choicesOnly` that are not among their choices. `sent` are the parameters that the caller sent. */
export type CheckChoices = (request: ChoiceRequest, sent: ReadonlySet<string>) => Promise<Result<null>>;

/** The part of a use-case that follows the checks. */
export type Take<Form extends QueryForm, T> = (authorised: Authorised<Form>) => Promise<Result<T>>;

export type Deliver = <Form extends QueryForm, T>(request: DeliveryRequest<Form>, take: Take<Form, T>) => Promise<Result<T>>;

export interface DeliverParts {
  readonly store: Pick<MetadataStore, 'queries' | 'catalog' | 'databases'>;
  readonly authenticate: Authenticate;
  readonly audited: Audited;
  readonly withinRate: WithinRate;
  readonly rowQuota: RowQuota;
  readonly unsent: UnsentBytes;
  readonly present: () => Present; // for relative moments
  readonly checkChoices: CheckChoices;
  readonly ran: (queryId: string, principal: Principal) => void; // for every call that returned rows
}

/** The pipeline: authenticate → form → authorise → bind → take, audited as a whole. */
export function createDeliver(parts: DeliverParts): Deliver {
  return (request, take) =>
    parts.audited(request.call, request.action, async (draft) => {
      const authorised = await passChecks(parts, request, draft);
      if (!authorised.ok) return authorised;
      const { principal, allowance, response } = authorised.value;
      let rows: number | null = null;
      try {
        const result = await take(authorised.value);
        if (!result.ok) return result;
        const sendable = response.claim(draft.responseBytes ?? 0);
        if (!sendable.ok) return sendable;
        rows = draft.rows;
        if (rows !== null && request.action !== 'query.choices') parts.ran(authorised.value.query.id, principal);
        return result;
      } finally {
        allowance.settle(rows);
      }
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
      const authorised = await passChecks(parts, request, draft);
      if (!authorised.ok) return authorised;
      const { principal, allowance, response } = authorised.value;
      const sendable = response.claim(STREAM_BYTES);
      const opened = sendable.ok ? await attempt(() => take(authorised.value)) : sendable;
      if (!opened.ok) {
        allowance.settle(null);
        return opened;
      }
      parts.ran(authorised.value.query.id, principal);
      const onEnd = (anyRead: boolean): void => allowance.settle(anyRead ? draft.rows : null);
      return succeeded({ ...opened.value, onEnd });
    });
}

async function passChecks<Form extends QueryForm>(
  { authenticate, withinRate, rowQuota, unsent, store, present, checkChoices }: Omit<DeliverParts, 'audited'>,
  { call, form: readForm, actionOf, parametersOf, problemsOf, positionOf, isContinued }: DeliveryRequest<Form>,
  draft: AuditDraft,
): Promise<Result<Authorised<Form>>> {
  const principal = await authenticate(call.credential, call.address);
  if (!principal.ok) return principal;
  draft.principal = principal.value;
  const rated = withinRate(principal.value);
  const rate = rated instanceof Promise ? await rated : rated;
  if (!rate.ok) return rate;
  const sendable = unsent.check(principal.value);
  if (!sendable.ok) return sendable;

  const form = readForm(principal.value);
  if (!form.ok) return failed(await withParameterProblems(store, call.channel, principal.value, form.failure, present(), draft));
  draft.query = form.value.queryName.slice(0, 300) || null;
  if (actionOf !== undefined) draft.action = actionOf(form.value);

  const position = positionOf?.(form.value);
  if (position?.ok === false) return position;
  const { queryName, queryId } = form.value;
  const found =
    position !== undefined
      ? await findContinued(store, principal.value, { queryName, id: queryId }, position.value, call.channel, draft)
      : call.channel === 'mcp'
        ? await findReferenced(store, principal.value, { queryName, id: queryId }, call.channel)
        : await findNamed(store, principal.value, queryName);
  if (!found.ok) return found;
  const { query, database } = found.value;
  draft.query = query.queryName;
  draft.queryVersion = query.current.version;
  const { asked } = call;
  if (asked !== undefined && (asked.userId !== principal.value.userId || asked.queryId !== query.id))
    return failed({ kind: 'InputStateInvalid' });

  let values: readonly BoundParameter[] = [];
  if (position === undefined) {
    const reading = parametersOf?.(form.value, query);
    const declared = reading === undefined ? query.current.definition.parameters : await reading;
    const bound = bindParameters(declared, form.value.parameters, {
      caller: isContinued?.(form.value) === true ? null : identityOf(principal.value),
      present: present(),
    });
    if (!bound.ok) {
      const all = withProblems(bound.failure, problemsOf?.(form.value, query) ?? []);
      return failed(withParameters(all, form.value, principal.value, query));
    }
    values = bound.value;
    draft.parameters = shown(values, declared);
    if (reading === undefined && declared.some(({ choicesOnly }) => choicesOnly === true)) {
      const sent = new Set(form.value.parameters.flatMap(({ ParameterName }) => declaredName(declared, ParameterName) ?? []));
      const allowed = await checkChoices({ call, principal: principal.value, query, values }, sent);
      if (!allowed.ok) return allowed;
    }
  }
  const opening = rowQuota.open(principal.value);
  const quota = opening instanceof Promise ? await opening : opening;
  if (!quota.ok) return quota;
  const response = unsent.open(call, principal.value);
  const run = { call, form: form.value, principal: principal.value, query, database, values, draft, response };
  return succeeded({ ...run, ...(position === undefined ? {} : { position: position.value }), allowance: quota.value });
}

/**
 * The problems of a form, and those of the parameters if the caller may run the query, so that one response has all of them. To other
 * callers it says nothing about the query.
 */
async function withParameterProblems(
  store: DeliverParts['store'],
  channel: Channel,
  principal: Principal,
  failure: Failure,
  now: Present,
  draft: AuditDraft,
): Promise<Failure> {
  const sent = 'sent' in failure ? failure.sent : undefined;
  if (sent === undefined || !('problems' in failure)) return failure;
  const { queryName, queryId: id } = sent;
  const found =
    channel === 'mcp'
      ? await findReferenced(store, principal, { queryName, id }, channel)
      : await findNamed(store, principal, queryName);
  if (!found.ok) return failure;
  const { query } = found.value;
  draft.query = query.queryName;
  draft.queryVersion = query.current.version;
  const declared = query.current.definition.parameters;
  const bound = bindParameters(declared, sent.parameters, { caller: identityOf(principal), present: now });
  if (bound.ok || !('problems' in bound.failure)) return failure;
  const reported = new Set(failure.problems.map(({ field }) => declaredName(declared, field) ?? field));
  const further = bound.failure.problems.filter(({ field }) => !reported.has(field));
  return withParameters(inputRefused([...failure.problems, ...further]), sent, principal, query);
}

const withProblems = (failure: Failure, further: readonly FieldProblem[]): Failure =>
  'problems' in failure && further.length > 0 ? inputRefused([...failure.problems, ...further]) : failure;

/** With the parameters of the query, and those that the caller left out if nothing else is wrong. */
function withParameters(failure: Failure, form: QueryForm, { userId }: Principal, query: Query): Failure {
  if (!('problems' in failure)) return failure;
  const parameters = sendable(query.current.definition.parameters);
  const sent = new Set(withDeclaredNames(parameters, form.parameters).map(({ ParameterName }) => ParameterName));
  const missing = parameters.filter((each) => each.required && each.default === undefined && !sent.has(each.name));
  const isAll = failure.problems.every(({ field }) => missing.some(({ name }) => name === field));
  if (!isAll) return { ...failure, parameters };
  return { ...failure, parameters, missing: { userId, queryId: query.id, queryName: query.queryName, parameters: missing } };
}

/** The query of a continuation. Every right is checked again: one that was revoked since also ends access to the snapshot. */
async function findContinued(
  store: DeliverParts['store'],
  principal: Principal,
  sent: QueryReference, // if it names a query, it must be that of the position
  position: SnapshotPosition,
  channel: Channel,
  draft: AuditDraft,
): Promise<Result<RunnableQuery>> {
  // the audit entry names the query, the response does not
  const refused = async (failure: Failure): Promise<Result<RunnableQuery>> => {
    draft.query = (await store.queries.get(position.queryId))?.queryName ?? null;
    return failed(failure);
  };
  if (position.userId !== principal.userId) return refused({ kind: 'ContinuationForeign' });
  const found = await findRunnableById(store, principal, position.queryId, channel);
  if (found === null) return refused({ kind: 'QueryNotAccessible' });
  draft.query = found.query.queryName;
  if (sent.queryName === '' && sent.id === undefined) return succeeded(found);
  const named = await findReferenced(store, principal, { ...sent, queryName: sent.queryName || undefined }, channel);
  if (!named.ok) return named;
  return named.value.query.id === position.queryId ? named : failed({ kind: 'ContinuationInvalid' });
}

function shown(values: readonly BoundParameter[], declared: readonly ParameterDefinition[]): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const each of values) {
    const { name } = each;
    const isNull = 'items' in each ? each.items.length === 0 : each.value === null;
    const isMasked = !isNull && declared.some((other) => other.masked === true && other.name === name);
    shown[name] = isMasked ? '***' : 'items' in each ? (isNull ? null : each.items.map(shownValue)) : shownValue(each);
  }
  return shown;
}

const shownValue = ({ value, expression }: Pick<BoundValue, 'value' | 'expression'>): unknown =>
  expression === undefined ? value : { expression, value };
