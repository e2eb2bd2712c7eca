import { type CredentialFailure, type Failure, type FieldProblem, type InputFailureKind, isCredentialFailure } from './errors.ts';

/** The message for a person: what was wrong, with which field, and what to do; never database detail. */
export function explain(failure: Failure, requestId: string): string {
  if (isCredentialFailure(failure) && failure.of === 'viewer') return explainViewerToken(failure);
  if ('of' in failure && failure.of === 'link') return explainLink(failure.kind);
  if ('problems' in failure) return failure.problems.map((problem) => explainProblem(problem, failure.kind)).join(' ');
  switch (failure.kind) {
    case 'CredentialMissing':
      return 'Send an API key in X-API-Key, or a user name and password as Basic credentials in Authorization.';
    case 'CredentialInvalid':
      return 'The API key, the session or the user name and password are not valid. Check them, sign in again, or create a key under My Account → API Keys.';
    case 'CredentialExpired':
      return 'The key, session, link or account has expired. Create a new key, sign in again, or ask the person who gave you the link.';
    case 'CredentialRevoked':
      return 'The key or link was revoked or replaced, or its account disabled. Create a new key, or ask the person who gave you the link.';
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
      return `${failure.of === 'network' ? 'This network sends too many requests' : 'This key or data link is over its call rate'}. Try again in ${failure.retryAfterSeconds} s.`;
    case 'UserBusy':
      return `Too many of your queries are running. Try again in ${failure.retryAfterSeconds} s.`;
    case 'ResponsesUnread':
      return `Responses to your earlier calls have not been read. Read or close them, then try again in ${failure.retryAfterSeconds} s.`;
    case 'ExportSpaceFull':
      return `Your export files use all the space, or are as many as allowed per user. They are deleted after 10 minutes; try again in ${failure.retryAfterSeconds} s.`;
    case 'KeyBusy':
      return `This key already runs its maximum number of queries (${failure.most}). Try again in ${failure.retryAfterSeconds} s.`;
    case 'RowsExceeded':
      return explainQuota(failure);
    case 'Overloaded':
      return `The service is at its limit. Try again in ${failure.retryAfterSeconds} s.`;
    case 'QueryNotAccessible':
      if ('displayName' in failure)
        return `'${failure.displayName.slice(0, 300)}' is a display name; send QueryName '${failure.technicalNames.join("' or '")}'.`;
      return 'There is no Active query with that name that you may run. Check the technical name, or ask for access.';
    case 'VersionUnknown':
    case 'VersionRetired':
      return explainVersion(failure);
    case 'CallerAttributeMissing':
      if (failure.of === 'viewer')
        return failure.reason === undefined
          ? `The query needs ${failure.source} of the viewer, which the viewer token does not have.`
          : `The query needs ${failure.source} of the viewer, whose value in the viewer token does not fit: ${failure.reason}`;
      return failure.reason === undefined
        ? `The query needs ${failure.source} of your account, which has no value. Ask an administrator to set it.`
        : `The query needs ${failure.source} of your account, whose value does not fit: ${failure.reason} Ask an administrator to change it.`;
    case 'CallerAttributeAmbiguous':
      if (failure.of === 'viewer')
        return `The query needs a single value of ${failure.source}, and the viewer token has several. Its author may change the query to take a list.`;
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
      return 'An API key or a viewer token may not do this. Sign in, or use Basic credentials.';
    case 'KeyLimited':
      return 'This key has a daily row limit, and views of an embed or data link would not count against it. Use a key without a row limit, sign in, or use Basic credentials.';
    case 'BodyInvalid':
      return `The request body could not be read: ${failure.reason}`;
    case 'RequestInvalid':
    case 'MetaInvalid':
    case 'HeaderMismatch':
    case 'StateConflict':
    case 'LimitReached':
    case 'NameTaken':
    case 'InUse':
    case 'ChartTooLarge':
      return failure.reason;
    case 'ResourceUnknown':
      return `There is no resource ${failure.uri}. resources/list returns the resources.`;
    case 'InputStateInvalid':
      return 'The requestState was altered, has expired (10 minutes), or belongs to another user, tool or query. Call the tool again without it.';
    case 'CapabilityMissing':
      return `The method needs a client that announces the extension ${failure.extension}.`;
    case 'VersionUnsupported':
      return failure.supported.includes(failure.requested)
        ? `The protocol version ${failure.requested} begins with initialize and is not named in _meta. Without a handshake, use ${failure.supported[0]}.`
        : `The protocol version ${failure.requested} is not supported. Use one of ${failure.supported.join(', ')}.`;
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
      return failure.reason ?? `Use ${failure.allow.join(' or ')} here.`;
    case 'RangeInvalid':
      return `The file has ${failure.size} bytes; the Range begins after them.`;
    case 'BoundToCaller':
      return 'The query selects rows by the identity of its caller, and readers of a data link have none. Let readers use /data with their own credential, or create the link with asIssuer: true if every reader may see the rows of its issuer.';
    case 'BreakingChange':
      return `Callers of the previous version would notice: ${listChanges(failure.changes)} Send allowBreaking: true to do it anyway.`;
    case 'VersionConflict':
      return 'Someone changed this in the meantime. Read it again, then repeat your change.';
    case 'FileChanged':
      return 'The file has changed since its ETag in If-Match. Read it again from its start.';
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

const MOST_CHANGES = 3; // all of them are in `errors`

function listChanges(changes: readonly { readonly message: string }[]): string {
  const listed = changes.slice(0, MOST_CHANGES).map(({ message }) => message);
  const left = changes.length - listed.length;
  return [...listed, ...(left === 0 ? [] : [`(${left} more in errors.)`])].join(' ');
}

function explainViewerToken({ kind, reason }: CredentialFailure): string {
  switch (kind) {
    case 'CredentialMissing':
      return 'The token of a viewer is missing. The application signs one for each of its users.';
    case 'CredentialExpired':
      return 'The viewer token, or the account of its application, has expired. The application has to sign a new one.';
    case 'CredentialRevoked':
      return 'The viewer is blocked, or the application that signed the token is disabled. Ask an administrator.';
    case 'CredentialInvalid':
      return reason === undefined
        ? 'The viewer token is not valid: it was altered, is not signed with a signing key of its application, or its iss is not the id of an application.'
        : `The viewer token is signed, but not valid: ${reason}`;
  }
}

/** For readers of a data link, who have no account here. */
function explainLink(kind: Failure['kind']): string {
  switch (kind) {
    case 'CredentialExpired':
      return 'The link has expired. Ask the person who gave it to you for a new one.';
    case 'CredentialRevoked':
      return 'The link was revoked or replaced. Ask the person who gave it to you for a new one.';
    case 'QueryNotAccessible':
    case 'CallerAttributeMissing':
    case 'CallerAttributeAmbiguous':
      return 'The rows of this link are not available now: its query was changed or deactivated, or its issuer may no longer run it. Ask the person who gave it to you.';
    case 'ExportSpaceFull':
      return 'The files that are read by links of the same person use all the space allowed. They are deleted after some minutes; try again then.';
    default:
      return 'The link is incomplete or was altered. Copy it again, or ask the person who gave it to you.';
  }
}

function explainVersion({ kind, of }: Extract<Failure, { kind: 'VersionUnknown' | 'VersionRetired' }>): string {
  if (of === undefined) return 'This address shows a version of the query that was retired. Ask its author for a new address.';
  const { queryName, version, current } = of;
  const wrong =
    kind === 'VersionRetired'
      ? `Version ${version} of ${queryName} was retired.`
      : `${queryName} has never had an Active version ${version}.`;
  return `${wrong} Its current version is ${current}: send ${queryName}@${current}, or ${queryName} to follow new versions.`;
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

function explainQuota({ most, had, held, resetsAt, retryAfterSeconds }: Extract<Failure, { kind: 'RowsExceeded' }>): string {
  const until = `Its quota resets at ${new Date(resetsAt).toISOString()}.`;
  if (had >= most) return `This key has read ${had} rows today; its limit is ${most} a day. ${until}`;
  if (had + held >= most) {
    return `This key has read ${had} of its ${most} rows a day; running calls have reserved the rest. Try again in ${retryAfterSeconds} s.`;
  }
  return `The result has more rows than the ${most - had - held} that this key may still read today, of ${most} a day. ${until}`;
}
