import type { ChartConfig } from './chart-config.ts';

/** All expected failures. A `throw` elsewhere means a defect. */
export type Failure =
  | { kind: 'CredentialMissing' | 'CredentialInvalid' | 'CredentialExpired' | 'CredentialRevoked'; owner?: CredentialOwner }
  | { kind: 'SignInExpired' | 'NoRole' } // these and the next line: OpenID Connect sign-in
  | { kind: 'ProviderUnavailable' | 'ProviderRefused' | 'IdentityInvalid'; cause: unknown }
  | { kind: 'TooManyAttempts'; retryAfterSeconds: number; owner?: CredentialOwner }
  | { kind: 'RateExceeded' | 'UserBusy' | 'Overloaded'; retryAfterSeconds: number }
  | { kind: 'ResponsesUnread' | 'ExportSpaceFull'; retryAfterSeconds: number } // per user
  | { kind: 'KeyBusy'; most: number; retryAfterSeconds: number }
  | { kind: 'RowsExceeded'; most: number; had: number; held: number; resetsAt: number; retryAfterSeconds: number } // per key and day; held: reserved by running calls
  | { kind: 'QueryNotAccessible'; closest?: readonly string[] } // closest: names that the caller may see; unknown, inactive or out of scope: one response, against probing
  | { kind: 'QueryNotAccessible'; displayName: string; technicalNames: readonly string[] } // of queries that the caller may run
  | { kind: 'CallerAttributeMissing' | 'CallerAttributeAmbiguous'; source: string; reason?: string } // source: `user.attributes.region`
  | { kind: 'PermissionDenied'; permission: string }
  | { kind: 'PermissionDenied'; role: string } // restricted to holders of the role
  | { kind: 'PermissionDenied'; reason: string }
  | { kind: 'OriginNotAllowed'; host?: string } // host: it is the Host that is not allowed
  | { kind: 'AddressNotAllowed' | 'ContinuationForeign' | 'CredentialNotSuitable' | 'KeyLimited' }
  | { kind: 'BodyInvalid' | 'RequestInvalid'; reason: string }
  | { kind: 'MetaInvalid' | 'HeaderMismatch'; reason: string } // MCP: `_meta` of a request, and headers that repeat its body
  | { kind: 'InputStateInvalid' } // of MCP
  | { kind: 'ResourceUnknown'; uri: string } // of MCP
  | { kind: 'CapabilityMissing'; extension: string } // of MCP: the client must announce it
  | { kind: 'VersionUnsupported'; requested: string; supported: readonly string[] } // of MCP
  | {
      kind: InputFailureKind;
      problems: readonly FieldProblem[];
      parameters?: readonly DeclaredParameter[];
      missing?: MissingInput;
      sent?: SentQuery;
    } // parameters: of the query; missing: nothing else is wrong; sent: what could be read of a request with other problems
  | { kind: 'SqlInvalid'; message: string; field?: string; line?: number; column?: number }
  | { kind: 'ContinuationInvalid'; of?: 'download' | 'stream' | 'list' } // default: a page
  | { kind: 'ContinuationExpired'; of?: 'download' | 'stream'; abandoned?: boolean } // abandoned: before its lifetime ended
  | { kind: 'NotFound'; what: string }
  | { kind: 'MethodNotAllowed'; allow: readonly string[] }
  | { kind: 'StateConflict' | 'LimitReached' | 'NameTaken' | 'InUse' | 'ChartTooLarge'; reason: string }
  | { kind: 'VersionConflict' | 'MediaTypeUnsupported' }
  | { kind: 'PayloadTooLarge'; bytes?: number } // the limit of the body
  | { kind: 'SnapshotIncomplete'; reason: string }
  | { kind: 'QueryFailed' | 'QueryTimedOut' | 'CellTooLarge'; cause: unknown } // cause: log only
  | { kind: 'QueryCancelled'; cause: unknown; by?: 'user' | 'shutdown' } // without `by`: the caller disconnected
  | { kind: 'DatabaseUnavailable'; cause: unknown; reason?: string } // reason: for authors
  | { kind: 'StoreUnavailable' | 'ShuttingDown'; cause: unknown }
  | { kind: 'Internal'; cause: unknown };

/** The owner of the account or key; for the audit trail only. */
export interface CredentialOwner {
  readonly userId: string;
  readonly username: string;
  readonly keyName: string | null;
}

/** In the order in which a response lists the problems of a request; the first one is its code. */
const inputFailureKinds = [
  'ParameterBound',
  'FieldUnknown',
  'ParameterUnknown',
  'FieldMissing',
  'FieldInvalid',
  'ParameterInvalid',
] as const;
type InputFailureKind = (typeof inputFailureKinds)[number];

/** `field` is a body path (`parameters.0.name`), a header (`RowSize`) or a parameter (`@Region`). */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
  readonly kind?: InputFailureKind; // if it is not that of the failure
}

export type Result<T> = { ok: true; value: T } | { ok: false; failure: Failure };

export const succeeded = <T>(value: T): Result<T> => ({ ok: true, value });
export const failed = (failure: Failure): { ok: false; failure: Failure } => ({ ok: false, failure });

/** Carries a failure out of code that cannot return one, such as a stream. */
export class FailureError extends Error {
  override readonly name = 'FailureError';
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(`The call failed: ${failure.kind}`);
    this.failure = failure;
  }
}

export const fieldInvalid = (field: string, message: string): Failure => ({
  kind: 'FieldInvalid',
  problems: [{ field, message }],
});

export const missingFieldProblem = (field: string): FieldProblem => ({
  kind: 'FieldMissing',
  field,
  message: `The field ${field} is required.`,
});
export const fieldMissing = (field: string): Failure => ({ kind: 'FieldMissing', problems: [missingFieldProblem(field)] });

/** A parameter of a query, for a caller that sent wrong ones. */
export interface DeclaredParameter {
  readonly name: string;
  readonly dataType: string;
  readonly required: boolean;
  readonly default?: string;
  readonly description?: string;
  readonly values?: readonly string[];
  readonly valuesOpen?: boolean; // the values are suggestions
  readonly multiple?: boolean; // a list
  readonly choices?: { readonly parameters?: Readonly<Record<string, string>> }; // from another query
}

/** The query that a request names, and the values that it sends. */
export interface SentQuery {
  readonly queryName: string;
  readonly queryId?: string;
  readonly parameters: readonly {
    readonly ParameterName: string;
    readonly Value: string | null | readonly (string | null)[] | undefined;
    readonly DataType?: string | undefined;
  }[];
  readonly chart?: { readonly [Field in keyof ChartConfig]?: ChartConfig[Field] | undefined }; // of an embed
}

/** Required parameters without a value, of a call that is otherwise right. */
export interface MissingInput {
  readonly userId: string;
  readonly queryId: string;
  readonly queryName: string;
  readonly parameters: readonly DeclaredParameter[];
}

const MOST_PROBLEMS = 100; // a body may have thousands

/** One failure for all problems of a request. */
export function inputRefused(problems: readonly FieldProblem[]): Failure {
  const sorted = problems
    .map(({ kind = 'FieldInvalid', ...problem }) => ({ ...problem, kind }))
    .sort((a, b) => inputFailureKinds.indexOf(a.kind) - inputFailureKinds.indexOf(b.kind));
  return { kind: sorted[0]?.kind ?? 'FieldInvalid', problems: sorted.slice(0, MOST_PROBLEMS) };
}

interface FailureRow {
  readonly code: string; // stable error code
  readonly status: number; // HTTP
  readonly rpc: number; // JSON-RPC
  readonly title: string;
}

/** The only mapping from failures to error codes, HTTP statuses, JSON-RPC codes and titles. */
export const failureTable: Readonly<Record<Failure['kind'], FailureRow>> = {
  CredentialMissing: { code: 'credential_missing', status: 401, rpc: 40101, title: 'Credential missing' },
  CredentialInvalid: { code: 'credential_invalid', status: 401, rpc: 40101, title: 'Credential not valid' },
  CredentialExpired: { code: 'credential_expired', status: 401, rpc: 40101, title: 'Credential expired' },
  CredentialRevoked: { code: 'credential_revoked', status: 401, rpc: 40101, title: 'Credential revoked' },
  SignInExpired: { code: 'sign_in_expired', status: 401, rpc: 40101, title: 'Sign-in not finished in time' },
  ProviderRefused: { code: 'provider_refused', status: 401, rpc: 40101, title: 'Refused by the sign-in provider' },
  IdentityInvalid: { code: 'identity_invalid', status: 401, rpc: 40101, title: 'Response of the sign-in provider not valid' },
  NoRole: { code: 'no_role', status: 403, rpc: 40301, title: 'No role' },
  ProviderUnavailable: { code: 'provider_unavailable', status: 503, rpc: 50301, title: 'Sign-in provider unavailable' },
  TooManyAttempts: { code: 'too_many_attempts', status: 429, rpc: 42901, title: 'Too many failed sign-ins' },
  RateExceeded: { code: 'rate_exceeded', status: 429, rpc: 42901, title: 'Too many calls' },
  UserBusy: { code: 'user_busy', status: 429, rpc: 42901, title: 'Too many of your queries are running' },
  ResponsesUnread: { code: 'responses_unread', status: 429, rpc: 42901, title: 'Too many of your responses are unread' },
  ExportSpaceFull: { code: 'export_space_full', status: 429, rpc: 42901, title: 'Your space for export files is used up' },
  KeyBusy: { code: 'key_busy', status: 429, rpc: 42901, title: 'Too many queries of this key are running' },
  RowsExceeded: { code: 'rows_exceeded', status: 429, rpc: 42901, title: 'No more rows today' },
  Overloaded: { code: 'overloaded', status: 503, rpc: 50301, title: 'Overloaded' },
  QueryNotAccessible: { code: 'query_not_accessible', status: 403, rpc: 40301, title: 'Query not accessible' },
  CallerAttributeMissing: { code: 'caller_attribute_missing', status: 403, rpc: 40301, title: 'Attribute of the caller missing' },
  CallerAttributeAmbiguous: {
    code: 'caller_attribute_ambiguous',
    status: 403,
    rpc: 40301,
    title: 'Attribute of the caller ambiguous',
  },
  PermissionDenied: { code: 'permission_denied', status: 403, rpc: 40301, title: 'Permission denied' },
  OriginNotAllowed: { code: 'origin_not_allowed', status: 403, rpc: -32600, title: 'Origin not allowed' },
  AddressNotAllowed: { code: 'address_not_allowed', status: 403, rpc: -32600, title: 'Address not allowed' },
  ContinuationForeign: { code: 'continuation_foreign', status: 403, rpc: 40301, title: "Another user's continuation" },
  CredentialNotSuitable: { code: 'credential_not_suitable', status: 403, rpc: 40301, title: 'Not with an API key' },
  KeyLimited: { code: 'key_limited', status: 403, rpc: 40301, title: 'Not with a key that has a row limit' },
  BodyInvalid: { code: 'body_invalid', status: 400, rpc: -32700, title: 'Request body not valid' },
  RequestInvalid: { code: 'request_invalid', status: 400, rpc: -32600, title: 'Not a JSON-RPC request' },
  MetaInvalid: { code: 'meta_invalid', status: 400, rpc: -32602, title: 'Request metadata not valid' },
  ResourceUnknown: { code: 'resource_unknown', status: 404, rpc: -32602, title: 'Resource not found' },
  InputStateInvalid: { code: 'request_state_invalid', status: 400, rpc: -32602, title: 'State of the request not valid' },
  HeaderMismatch: { code: 'header_mismatch', status: 400, rpc: -32020, title: 'Header and body differ' },
  CapabilityMissing: { code: 'capability_missing', status: 400, rpc: -32021, title: 'Missing required client capability' },
  VersionUnsupported: { code: 'version_unsupported', status: 400, rpc: -32022, title: 'Unsupported protocol version' },
  FieldMissing: { code: 'field_missing', status: 400, rpc: -32602, title: 'Required field missing' },
  FieldUnknown: { code: 'field_unknown', status: 400, rpc: -32602, title: 'Unknown field' },
  FieldInvalid: { code: 'field_invalid', status: 400, rpc: -32602, title: 'Field not valid' },
  ParameterUnknown: { code: 'parameter_unknown', status: 400, rpc: -32602, title: 'Unknown parameter' },
  ParameterBound: { code: 'parameter_bound', status: 400, rpc: -32602, title: 'Parameter bound to the caller' },
  ParameterInvalid: { code: 'parameter_invalid', status: 400, rpc: -32602, title: 'Parameter not valid' },
  SqlInvalid: { code: 'sql_invalid', status: 400, rpc: -32602, title: 'SQL not valid' },
  ContinuationInvalid: { code: 'continuation_invalid', status: 400, rpc: -32602, title: 'Continuation not valid' },
  ContinuationExpired: { code: 'continuation_expired', status: 400, rpc: 41001, title: 'Continuation expired' },
  NotFound: { code: 'not_found', status: 404, rpc: -32601, title: 'Not found' },
  MethodNotAllowed: { code: 'method_not_allowed', status: 405, rpc: -32600, title: 'Method not allowed' },
  StateConflict: { code: 'state_conflict', status: 409, rpc: -32602, title: 'Not possible in this state' },
  LimitReached: { code: 'limit_reached', status: 409, rpc: -32602, title: 'Limit reached' },
  NameTaken: { code: 'name_taken', status: 409, rpc: -32602, title: 'Name already taken' },
  InUse: { code: 'in_use', status: 409, rpc: -32602, title: 'Still in use' },
  ChartTooLarge: { code: 'chart_too_large', status: 409, rpc: -32602, title: 'Chart too large' },
  VersionConflict: { code: 'version_conflict', status: 412, rpc: -32602, title: 'Changed by someone else' },
  PayloadTooLarge: { code: 'payload_too_large', status: 413, rpc: -32600, title: 'Request too large' },
  MediaTypeUnsupported: { code: 'media_type_unsupported', status: 415, rpc: -32600, title: 'Content-Type not supported' },
  SnapshotIncomplete: { code: 'result_incomplete', status: 500, rpc: 50001, title: 'Result incomplete' },
  QueryFailed: { code: 'query_failed', status: 500, rpc: 50001, title: 'Query failed' },
  QueryTimedOut: { code: 'query_timed_out', status: 500, rpc: 50401, title: 'Query timed out' },
  QueryCancelled: { code: 'query_cancelled', status: 500, rpc: 50001, title: 'Query cancelled' },
  CellTooLarge: { code: 'cell_too_large', status: 500, rpc: 50001, title: 'Cell too large' },
  DatabaseUnavailable: { code: 'database_unavailable', status: 503, rpc: 50301, title: 'Database unavailable' },
  StoreUnavailable: { code: 'store_unavailable', status: 503, rpc: 50301, title: 'Service store unavailable' },
  ShuttingDown: { code: 'shutting_down', status: 503, rpc: 50301, title: 'Shutting down' },
  Internal: { code: 'internal_error', status: 500, rpc: -32603, title: 'Internal error' },
};

/** The message for a person: what was wrong, with which field, and what to do; never database detail. */
export function explain(failure: Failure, requestId: string): string {
  switch (failure.kind) {
    case 'CredentialMissing':
      return 'Send an API key in X-API-Key, or a user name and password as Basic credentials in Authorization.';
    case 'CredentialInvalid':
      return 'The API key, the session or the user name and password are not valid. Check them, sign in again, or create a key under My Account → API Keys.';
    case 'CredentialExpired':
      return 'The key, session or account has expired. Create a new key, sign in again, or ask an administrator.';
    case 'CredentialRevoked':
      return 'The key was revoked or its account disabled. Create a new key or ask an administrator.';
    case 'SignInExpired':
      return 'The sign-in was not started in this browser, took too long or was repeated. Start again.';
    case 'ProviderRefused':
      return `The sign-in provider refused the sign-in. Start again, or ask its administrator. Request id ${requestId}.`;
    case 'IdentityInvalid':
      return `The response of the sign-in provider was not valid. The detail is in the server log under request id ${requestId}.`;
    case 'NoRole':
      return 'None of your groups at the sign-in provider gives you a role here. Ask an administrator.';
    case 'ProviderUnavailable':
      return `The sign-in provider cannot be reached at the moment. Try again later. Request id ${requestId}.`;
    case 'TooManyAttempts':
      return `Too many failed sign-ins. Try again in ${failure.retryAfterSeconds} s.`;
    case 'RateExceeded':
      return `This key is over its call rate. Try again in ${failure.retryAfterSeconds} s.`;
    case 'UserBusy':
      return `Too many of your queries are running. Try again in ${failure.retryAfterSeconds} s.`;
    case 'ResponsesUnread':
      return `Responses to your earlier calls have not been read. Read or close them, then try again in ${failure.retryAfterSeconds} s.`;
    case 'ExportSpaceFull':
      return `Your export files use all the space allowed per user. They are deleted after 10 minutes; try again in ${failure.retryAfterSeconds} s.`;
    case 'KeyBusy':
      return `This key already runs its maximum number of queries (${failure.most}). Try again in ${failure.retryAfterSeconds} s.`;
    case 'RowsExceeded':
      return rowsExceeded(failure);
    case 'Overloaded':
      return `The service is at its limit. Try again in ${failure.retryAfterSeconds} s.`;
    case 'QueryNotAccessible':
      if ('displayName' in failure)
        return `'${failure.displayName.slice(0, 300)}' is a display name; send QueryName '${failure.technicalNames.join("' or '")}'.`;
      return 'There is no Active query with that name that you may run. Check the technical name, or ask for access.';
    case 'CallerAttributeMissing':
      return failure.reason === undefined
        ? `The query needs ${failure.source} of your account, which has no value. Ask an administrator to set it.`
        : `The query needs ${failure.source} of your account, whose value does not fit: ${failure.reason} Ask an administrator to change it.`;
    case 'CallerAttributeAmbiguous':
      return `The query needs a single value of ${failure.source}, and your account has several. Ask an administrator to change it, or the author to take a list.`;
    case 'PermissionDenied':
      if ('reason' in failure) return failure.reason;
      if ('role' in failure)
        return `Only someone with the role ${failure.role}, or an Administrator, may do this. Ask one of them.`;
      return `This needs the permission ${failure.permission}. Ask an administrator for a role that has it.`;
    case 'OriginNotAllowed':
      return failure.host === undefined
        ? 'This Origin may not call the service. An operator can allow it with SLUICE_ALLOWED_ORIGINS.'
        : `The service is not configured for the host name ${failure.host.slice(0, 255)}. An operator can set SLUICE_BASE_URL to the address that callers use, or add the host name to SLUICE_ALLOWED_HOSTS.`;
    case 'AddressNotAllowed':
      return 'This address may not reach the gateway. An operator can allow it with SLUICE_MCP_ALLOW.';
    case 'ContinuationForeign':
      return 'This continuation was issued to another user. Run the query yourself to get your own.';
    case 'CredentialNotSuitable':
      return 'An API key may not do this. Sign in, or use Basic credentials.';
    case 'KeyLimited':
      return 'This key has a daily row limit, and views of an embed would not count against it. Use a key without a row limit, sign in, or use Basic credentials.';
    case 'BodyInvalid':
      return `The request body could not be read: ${failure.reason}`;
    case 'RequestInvalid':
    case 'MetaInvalid':
    case 'HeaderMismatch':
      return failure.reason;
    case 'ResourceUnknown':
      return `There is no resource ${failure.uri}. resources/list returns the resources.`;
    case 'InputStateInvalid':
      return 'The requestState was altered, has expired (10 minutes), or belongs to another user, tool or query. Call the tool again without it.';
    case 'CapabilityMissing':
      return `The method needs a client that announces the extension ${failure.extension}.`;
    case 'VersionUnsupported':
      return `The protocol version ${failure.requested} is not supported. Use one of ${failure.supported.join(', ')}.`;
    case 'FieldUnknown':
    case 'ParameterUnknown':
    case 'ParameterBound':
    case 'FieldMissing':
    case 'FieldInvalid':
    case 'ParameterInvalid':
      return failure.problems.map((problem) => explainProblem(problem, failure.kind)).join(' ');
    case 'SqlInvalid':
      return failure.message;
    case 'ContinuationInvalid':
      if (failure.of === 'download') return 'The download link is incomplete or was altered. Copy it again, or create a new one.';
      if (failure.of === 'stream')
        return 'The streamToken was altered or is not a stream token. Send it unchanged, or start the stream again.';
      if (failure.of === 'list')
        return 'The cursor was altered. Send the nextCursor of the previous list unchanged, or start again without one.';
      return 'The QueryMoreCode was altered or belongs to another query or other parameters. Repeat the body of the first call, or start again without a code.';
    case 'ContinuationExpired':
      if (failure.of === 'download') return 'The download link has expired (10 minutes). Create a new one.';
      if (failure.abandoned)
        return `${GIVEN_UP} ${failure.of === 'stream' ? 'Start the stream again.' : 'Run the query again without a code.'}`;
      if (failure.of === 'stream') return 'The streamToken has expired (30 minutes after its last use). Start the stream again.';
      return 'The QueryMoreCode has expired (30 minutes after its last use). Run the query again without a code.';
    case 'NotFound':
      return `There is no ${failure.what}.`;
    case 'MethodNotAllowed':
      return `Use ${failure.allow.join(' or ')} here.`;
    case 'StateConflict':
    case 'LimitReached':
    case 'NameTaken':
    case 'InUse':
    case 'ChartTooLarge':
      return failure.reason;
    case 'VersionConflict':
      return 'Someone changed this in the meantime. Read it again, then repeat your change.';
    case 'PayloadTooLarge':
      return failure.bytes === undefined
        ? 'The request is larger than the service accepts.'
        : `The body is larger than the ${failure.bytes} bytes that are accepted here.`;
    case 'MediaTypeUnsupported':
      return 'Send Content-Type: application/json, in UTF-8 and not compressed.';
    case 'SnapshotIncomplete':
      return `The result is incomplete from here on: ${failure.reason} Request id ${requestId}.`;
    case 'QueryFailed':
      return `The query failed. The detail is in the server log under request id ${requestId}.`;
    case 'QueryTimedOut':
      return `The query exceeded its time limit and was stopped. Request id ${requestId}.`;
    case 'QueryCancelled':
      return `${describeCancellation(failure.by)} Request id ${requestId}.`;
    case 'CellTooLarge':
      return `A cell of the result is larger than 1 MiB; cells are never truncated. Leave the column out of the query. Request id ${requestId}.`;
    case 'DatabaseUnavailable':
      return `${failure.reason ?? 'The database cannot be reached at the moment. Try again later.'} Request id ${requestId}.`;
    case 'StoreUnavailable':
      return `The service cannot reach its own store at the moment. Try again. Request id ${requestId}.`;
    case 'ShuttingDown':
      return 'The service is shutting down. Try again in a moment.';
    case 'Internal':
      return `Something went wrong inside the service. The detail is in the server log under request id ${requestId}.`;
  }
}

function describeCancellation(by: 'user' | 'shutdown' | undefined): string {
  if (by === 'user') return 'The query was cancelled, by you or by an administrator, before it ended.';
  if (by === 'shutdown') return 'The service was stopped or restarted before the query ended. Run it again.';
  return 'The query was cancelled.';
}

/** The messages of unknown and missing fields contain their name. */
function explainProblem({ field, message, kind }: FieldProblem, kindOfAll: InputFailureKind): string {
  const isInvalid = /(?:Invalid|Bound)$/.test(kind ?? kindOfAll);
  return isInvalid ? `${field}: ${message}` : message;
}

/** The message for a continuation that was discarded before its lifetime ended. */
export const GIVEN_UP =
  'The remaining rows of this result were given up because nobody asked for them in time and their space or connection was needed.';

function rowsExceeded({ most, had, held, resetsAt, retryAfterSeconds }: Extract<Failure, { kind: 'RowsExceeded' }>): string {
  const until = `Its quota resets at ${new Date(resetsAt).toISOString()}.`;
  if (had >= most) return `This key has read ${had} rows today; its limit is ${most} a day. ${until}`;
  if (had + held >= most) {
    return `This key has read ${had} of its ${most} rows a day; running calls have reserved the rest. Try again in ${retryAfterSeconds} s.`;
  }
  return `The result has more rows than the ${most - had - held} that this key may still read today, of ${most} a day. ${until}`;
}
