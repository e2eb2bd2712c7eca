import type { ChartConfig } from './chart-config.ts';

/** All expected failures. A `throw` elsewhere means a defect. */
export type Failure =
  | { kind: CredentialFailureKind; owner?: CredentialOwner; of?: 'viewer' | 'link'; reason?: string } // of: the credential is the token of a viewer or of a data link; reason: for the application that signed it
  | { kind: 'SignInExpired' | 'NoRole' } // these and the next line: OpenID Connect sign-in
  | { kind: 'ProviderUnavailable' | 'ProviderRefused' | 'IdentityInvalid'; cause: unknown }
  | { kind: 'TooManyAttempts'; retryAfterSeconds: number; owner?: CredentialOwner }
  | { kind: 'RateExceeded'; retryAfterSeconds: number; of?: 'network' } // without `of`: of a key or a data link
  | { kind: 'UserBusy' | 'Overloaded'; retryAfterSeconds: number }
  | { kind: 'ResponsesUnread'; retryAfterSeconds: number } // per user, like the next one
  | { kind: 'ExportSpaceFull'; retryAfterSeconds: number; of?: 'link' } // of: here and below, for readers of a data link
  | { kind: 'KeyBusy'; most: number; retryAfterSeconds: number }
  | { kind: 'RowsExceeded'; most: number; had: number; held: number; resetsAt: number; retryAfterSeconds: number } // per key and day; held: reserved by running calls
  | { kind: 'QueryNotAccessible'; closest?: readonly string[]; of?: 'link' } // one failure for unknown, inactive and out of scope, so that nobody can probe for names; closest: names that the caller may see
  | { kind: 'QueryNotAccessible'; displayName: string; technicalNames: readonly string[]; of?: 'link' } // of queries that the caller may run
  | { kind: 'VersionUnknown' | 'VersionRetired'; of?: NamedVersion } // of a query that the caller may run; left out for readers of an embed or a data link
  | { kind: 'CallerAttributeMissing' | 'CallerAttributeAmbiguous'; source: string; reason?: string; of?: 'viewer' | 'link' } // source: `user.attributes.region`
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
  | { kind: 'ContinuationInvalid'; of?: 'download' | 'stream' | 'list' | 'export'; isOfOtherCall?: true } // default: a page
  | { kind: 'ContinuationExpired'; of?: 'download' | 'stream' | 'export'; abandoned?: boolean } // abandoned: before its lifetime ended
  | { kind: 'NotFound'; what: string }
  | { kind: 'MethodNotAllowed'; allow: readonly string[]; reason?: string }
  | { kind: 'RangeInvalid'; size: number } // of the file
  | { kind: 'StateConflict' | 'LimitReached' | 'NameTaken' | 'InUse' | 'ChartTooLarge'; reason: string }
  | { kind: 'BreakingChange'; changes: readonly Pick<FieldProblem, 'field' | 'message'>[] } // field: a path in the query
  | { kind: 'VersionConflict' | 'FileChanged' | 'MediaTypeUnsupported' | 'BoundToCaller' }
  | { kind: 'PayloadTooLarge'; bytes?: number } // the limit of the body
  | { kind: 'SnapshotIncomplete'; reason: string }
  | { kind: 'QueryFailed' | 'QueryTimedOut' | 'CellTooLarge'; cause: unknown } // cause: log only
  | { kind: 'QueryCancelled'; cause: unknown; by?: 'user' | 'shutdown' } // without `by`: the caller disconnected
  | { kind: 'DatabaseUnavailable'; cause: unknown; reason?: string } // reason: for authors
  | { kind: 'StoreUnavailable' | 'ShuttingDown'; cause: unknown }
  | { kind: 'Internal'; cause: unknown };

export const credentialFailureKinds = [
  'CredentialMissing',
  'CredentialInvalid',
  'CredentialExpired',
  'CredentialRevoked',
] as const;
type CredentialFailureKind = (typeof credentialFailureKinds)[number];

export type CredentialFailure = Failure & { kind: CredentialFailureKind };

export const isCredentialFailure = (failure: Failure): failure is CredentialFailure =>
  credentialFailureKinds.some((kind) => kind === failure.kind);

/** The owner of the account or key; for the audit trail only. */
export interface CredentialOwner {
  readonly userId: string;
  readonly username: string;
  readonly userKind: 'person' | 'application';
  readonly viewer?: string;
  readonly application?: string; // that the user signed in from
  readonly keyName: string | null;
}

/** The version that a caller asked for, and the one that is Active. */
export interface NamedVersion {
  readonly queryName: string;
  readonly version: number;
  readonly current: number;
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
export type InputFailureKind = (typeof inputFailureKinds)[number];

/** `field` is a body path (`parameters.0.name`), a header (`RowSize`) or a parameter (`@Region`); line and column are those in SQL. */
export interface FieldProblem extends Partial<Record<'line' | 'column', number>> {
  readonly field: string;
  readonly message: string;
  readonly kind?: InputFailureKind; // if it is not that of the failure
}

export type Result<T> = { ok: true; value: T } | { ok: false; failure: Failure };

export const succeeded = <T>(value: T): Result<T> => ({ ok: true, value });
export const failed = (failure: Failure): { ok: false; failure: Failure } => ({ ok: false, failure });

/** Converts the value of a result; a failure stays as it is. */
export const mapResult = <From, To>(result: Result<From>, convert: (value: From) => To): Result<To> =>
  result.ok ? succeeded(convert(result.value)) : result;

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

/** What is wrong with the fields of the input; empty for other failures. */
export const problemsOf = (result: Result<unknown>): readonly FieldProblem[] =>
  result.ok || !('problems' in result.failure) ? [] : result.failure.problems;

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
  readonly open?: readonly string[]; // of an embed
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
  VersionUnknown: { code: 'version_unknown', status: 404, rpc: 40401, title: 'Unknown version of the query' },
  VersionRetired: { code: 'version_retired', status: 410, rpc: 41002, title: 'Version of the query retired' },
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
  BoundToCaller: { code: 'bound_to_caller', status: 409, rpc: -32602, title: 'Rows depend on the caller' },
  ChartTooLarge: { code: 'chart_too_large', status: 409, rpc: -32602, title: 'Chart too large' },
  BreakingChange: { code: 'breaking_change', status: 409, rpc: -32602, title: 'Breaks callers' },
  VersionConflict: { code: 'version_conflict', status: 412, rpc: -32602, title: 'Changed by someone else' },
  FileChanged: { code: 'file_changed', status: 412, rpc: -32602, title: 'File changed' },
  PayloadTooLarge: { code: 'payload_too_large', status: 413, rpc: -32600, title: 'Request too large' },
  RangeInvalid: { code: 'range_invalid', status: 416, rpc: -32600, title: 'Range not satisfiable' },
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
