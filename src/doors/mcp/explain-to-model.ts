import { redactKeys } from '../../access/api-key.ts';
import { closedValues } from '../../catalog/closed-values.ts';
import { type DeclaredParameter, failureTable, type Failure, isCredentialFailure } from '../../core/errors.ts';
import { explain, GIVEN_UP } from '../../core/explain.ts';
import type { RpcError } from './json-rpc.ts';
import type { ProtocolVersion } from './protocol.ts';
import { MISSING_ROWS } from './rows.ts';

export const rpcErrorOf = (failure: Failure, requestId: string, protocolVersion: ProtocolVersion | null = null): RpcError => {
  const { rpc, status, code } = failureTable[failure.kind];
  const message = redactKeys(explainToModel(failure, requestId, protocolVersion));
  const isOldCode = failure.kind === 'ResourceUnknown' && protocolVersion?.isStateless !== true;
  return {
    code: isOldCode ? RESOURCE_NOT_FOUND : rpc,
    message,
    data: { httpStatus: status, reason: code, requestId, ...detailOf(failure) },
  };
};

/** The error for a missing or refused access token, at the address that accepts nothing else: what the client or its developer can do. */
export function tokenErrorOf(failure: Failure, requestId: string, metadataUrl: string): RpcError {
  const error = rpcErrorOf(failure, requestId);
  if (!isCredentialFailure(failure)) return error;
  const problem =
    failure.kind === 'CredentialMissing'
      ? 'No access token was sent.'
      : 'The access token is not known, has expired, or its access was ended.';
  const message = `Authentication failed: ${problem} Clients that support OAuth 2.1 get one by sending the user to sign in to Sluice: ${metadataUrl} describes where, and the token is sent as Authorization: Bearer. Clients with an API key use the address that ends in /mcp.`;
  return { ...error, message };
}

/** What the specification of MCP adds to an error. */
function detailOf(failure: Failure): Partial<RpcError['data']> {
  if (failure.kind === 'VersionUnsupported') return { requested: failure.requested, supported: failure.supported };
  if (failure.kind === 'CapabilityMissing') return { requiredCapabilities: { extensions: { [failure.extension]: {} } } };
  return failure.kind === 'ResourceUnknown' ? { uri: failure.uri } : {};
}

const RESOURCE_NOT_FOUND = -32002; // before 2026-07-28

/**
 * The HTTP status: an error only for requests that are not valid calls, and, in the stateless version, for unknown methods; other
 * failures are JSON-RPC errors with 200.
 */
export function httpStatusOf(failure: Failure, protocolVersion: ProtocolVersion | null): number {
  const { rpc, status } = failureTable[failure.kind];
  if (failure.kind === 'NotFound') return protocolVersion?.isStateless === true ? status : OK;
  return notCalls.has(rpc) || failure.kind === 'MetaInvalid' ? status : OK;
}

/** Whether a model can correct its call. */
export const isForModel = ({ kind }: Failure): boolean => kind !== 'InputStateInvalid' && correctable.has(failureTable[kind].rpc);
const correctable: ReadonlySet<number> = new Set([-32602, 40301, 40401, 41001, 41002, 50401]);

/** The same for a tool result, which the model sees: with what it needs to correct its call. */
export const toolErrorOf = (failure: Failure, requestId: string): RpcError => {
  const error = rpcErrorOf(failure, requestId);
  const advice = adviceOf(failure);
  return advice === null ? error : { ...error, message: redactKeys(`${error.message} ${advice}`) };
};

function adviceOf(failure: Failure): string | null {
  if (failure.kind === 'QueryNotAccessible') {
    if ('displayName' in failure) return null;
    const closest = failure.closest ?? [];
    return closest.length === 0
      ? 'Call list_queries with search set to words of the question.'
      : `The closest names that this key may run: ${closest.join(', ')}.`;
  }
  if (!('parameters' in failure) || failure.parameters === undefined) return null;
  if (failure.parameters.length === 0) return 'The query has no parameters.';
  return `The parameters of the query: ${failure.parameters.map(parameterText).join('; ')}.`;
}

function parameterText(parameter: DeclaredParameter): string {
  const { name, dataType, required, default: fallback, values = [], multiple } = parameter;
  const absent = fallback === undefined ? (required ? 'required' : 'optional') : `default ${JSON.stringify(fallback)}`;
  const shown = values.slice(0, MOST_VALUES).map((each) => JSON.stringify(each));
  const more = values.length > MOST_VALUES ? ` and ${values.length - MOST_VALUES} more` : '';
  const offered =
    shown.length === 0 ? '' : `, ${closedValues(parameter) === undefined ? 'such as' : 'one of'} ${shown.join(', ')}${more}`;
  return `${name} ${dataType}${multiple === true ? ', a list' : ''}, ${absent}${offered}`;
}

const MOST_VALUES = 20;
const notCalls: ReadonlySet<number> = new Set([-32700, -32600, -32020, -32021, -32022]);
const OK = 200;

/** The message for the model, which must say what to do next and with which tool. */
function explainToModel(failure: Failure, requestId: string, protocolVersion: ProtocolVersion | null): string {
  const plain = explain(failure, requestId);
  if (isCredentialFailure(failure) && failure.of === 'viewer')
    return `Authentication failed. ${plain} Tell the user; retrying with the same token will not help.`;
  switch (failure.kind) {
    case 'CredentialMissing':
      return "Authentication failed: no API key. Pass the user's key as the string argument apiKey, or have the client send it in the header X-API-Key. Keys are created in Sluice under My Account → API Keys; ask the user for one.";
    case 'CredentialInvalid':
      return 'Authentication failed: this API key is unknown. Check that it was copied completely (it begins with slc_), or ask the user for a new one: My Account → API Keys in Sluice. Retrying with the same key will not help.';
    case 'CredentialExpired':
      return 'Authentication failed: this API key or its account has expired. Ask the user to create a new key under My Account → API Keys in Sluice. Retrying with the same key will not help.';
    case 'CredentialRevoked':
      return 'Authentication failed: this API key was revoked or its account disabled. Ask the user for another key, or to talk to an administrator. Retrying with the same key will not help.';
    case 'QueryNotAccessible':
      if ('displayName' in failure) return `${plain.replace('send QueryName', 'send queryName')} Call the tool again with it.`;
      return 'There is no Active query of that name that this key may run. Call list_queries and use a queryName from its result exactly as returned (the technical name, not the display name).';
    case 'CallerAttributeMissing':
    case 'CallerAttributeAmbiguous':
      return `${plain} Tell the user; retrying will not help.`;
    case 'ContinuationForeign':
      return 'This code or token was issued to another user. Call execute_query, start_stream or list_queries yourself to get your own.';
    case 'FieldUnknown':
    case 'FieldMissing':
      return `${plain.replaceAll(/(The|no) field (?=\S)/g, '$1 argument ')} Correct the arguments and call the tool again.`;
    case 'ParameterUnknown':
    case 'ParameterBound':
    case 'ParameterInvalid':
      return `${plain} Call get_query_parameters to see the parameters of the query, correct them and try again.`;
    case 'ContinuationInvalid':
      if (failure.of === 'list') return plain;
      if (failure.of === 'stream')
        return 'The streamToken was altered, or does not come from start_stream or resume_stream. Copy it exactly from the previous chunk, or call start_stream again. A QueryMoreCode belongs to execute_query_next_page.';
      if (failure.isOfOtherCall)
        return `The queryMoreCode belongs to another query or other parameters. Send it without queryName and parameters to continue its result, or call ${startOf(failure.of)} without a code to run the query.`;
      if (failure.of === 'export')
        return 'The queryMoreCode was altered, or does not come from export_query. For a file of all rows, call export_query with queryName, parameters and format, and no code. The code of a page belongs to execute_query_next_page.';
      return 'The queryMoreCode was altered, or does not come from execute_query or execute_chart_query. Copy QueryMoreCode exactly from the previous page, or call execute_query again. A streamToken belongs to resume_stream.';
    case 'ContinuationExpired':
      if (failure.abandoned) return `${GIVEN_UP} Call ${startOf(failure.of)} again.`;
      return `The ${failure.of === 'stream' ? 'streamToken' : 'queryMoreCode'} has expired (30 minutes after its last use). Call ${startOf(failure.of)} again.`;
    case 'SnapshotIncomplete':
      return `${plain} There are no further pages. ${MISSING_ROWS}`;
    case 'QueryFailed':
      return `The query failed in the database. Check the parameter values; if they are right, tell the user to give an administrator this request id: ${requestId}.`;
    case 'QueryTimedOut':
      return `The query exceeded its time limit and was stopped. Narrow it by its parameters, such as a shorter period, and try again. Request id ${requestId}.`;
    case 'CellTooLarge':
      return `A cell of the result is larger than 1 MiB, and no argument leaves it out. Tell the user that the query has to be changed. Request id ${requestId}.`;
    case 'NotFound':
      return `There is no ${failure.what}. This gateway has ${protocolVersion?.isStateless === true ? 'server/discover' : 'initialize, ping'}, tools/list and tools/call.`;
    default:
      return plain;
  }
}

/** The tool that starts what a code continues. */
const startOf = (of: 'download' | 'stream' | 'list' | 'export' | undefined): string =>
  of === 'stream' ? 'start_stream' : of === 'export' ? 'export_query' : 'execute_query';
