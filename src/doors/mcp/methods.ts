import type { FastifyRequest } from 'fastify';
import { redactKeys } from '../../access/api-key.ts';
import type { Credential } from '../../access/principal.ts';
import { OAUTH_PATH } from '../../administration/oauth/authorization-server.ts';
import { findClosestName } from '../../catalog/closest-name.ts';
import { filledFields } from '../../core/defined-fields.ts';
import { type Failure, failed, fieldInvalid, fieldMissing, type Result, succeeded } from '../../core/errors.ts';
import type { Call } from '../../pipeline/call.ts';
import type { Browse } from '../../pipeline/use-cases/browse.ts';
import { accessTokenOf, callWith, tokenCredential } from '../http/call-of.ts';
import { logFailure } from '../http/failure-response.ts';
import { foldSeparators, isObject } from '../input/fields.ts';
import { CHART_APP, chartAppContents, chartAppResource, readChartApp } from './chart-app.ts';
import { isForModel, toolErrorOf } from './explain-to-model.ts';
import { type Asked, type ChoicesOf, createInputForms, type InputForms, showsForms } from './input-required.ts';
import type { Params, RpcError } from './json-rpc.ts';
import {
  capabilitiesOf,
  clientInfoOf,
  describeServer,
  negotiate,
  type RpcNotification,
  type RpcRequest,
  quoteValue,
} from './protocol.ts';
import { respondToTask, taskFor } from './tasks.ts';
import { type ListedTool, describeTools, tools, toolsFor } from './tool-list.ts';
import { encodeResult, type MethodResult, toolErrorResult, toolResult } from './tool-result.ts';
import type { Tool, ToolParts } from './tool.ts';

export type Methods = ReturnType<typeof createMethods>;

/** `request` returns the complete JSON-RPC response as text or bytes. */
export function createMethods(parts: ToolParts) {
  const forms = createInputForms(parts.continuations, parts.now);
  const chartApp = readChartApp();
  const withKey = describeTools(true);
  const withoutKey = describeTools(false);
  const listOfferedTools = async (request: RpcRequest): Promise<readonly ListedTool[]> => {
    if (!hasKeyHeader(request.http)) return withKey;
    const typed = await toolsOfKey(parts, request);
    return typed === null ? withoutKey : describeTools(false, typed);
  };
  const notify = (notification: RpcNotification): void => {
    const { http, method, params } = notification;
    const name = method === 'notifications/cancelled' ? cancelNameOf(params.requestId) : null;
    if (name === null || !hasKeyHeader(http)) return;
    parts.cancelCall(headerCall(notification), name).catch((err) => http.log.warn({ err }, 'A call could not be cancelled'));
  };
  const respond = async (request: RpcRequest): Promise<Result<string | Buffer>> => {
    const { method, params, protocolVersion } = request;
    if ((protocolVersion.isStateless ? withHandshake : withoutHandshake).has(method)) return failUnknownMethod(method);
    switch (method) {
      case 'tools/call':
        return callTool(parts, forms, request);
      case 'tasks/get':
      case 'tasks/update':
      case 'tasks/cancel':
        return respondToTask(parts, request, (tool) => toolCall(parts, request, tool, { sent: {} }));
      case 'tools/list':
        // the list fits one page, so no cursor was ever issued
        if (params.cursor !== undefined && params.cursor !== null)
          return failed(fieldInvalid('cursor', 'Unknown cursor. Call tools/list without one: the list is complete.'));
        return encodeCacheable(request, { tools: await listOfferedTools(request) });
      case 'resources/list':
        return encodeCacheable(request, { resources: chartApp === null ? [] : [chartAppResource] });
      case 'resources/templates/list':
        return encodeCacheable(request, { resourceTemplates: [] });
      case 'resources/read':
        if (typeof params.uri !== 'string') return failed(fieldMissing('uri'));
        if (params.uri !== CHART_APP || chartApp === null)
          return failed({ kind: 'ResourceUnknown', uri: redactKeys(params.uri).slice(0, 200) });
        return encodeCacheable(request, chartAppContents(chartApp));
      case 'server/discover':
        return encodeCacheable(request, describeServer(!isSignedInGateway(request.http)));
      case 'initialize':
        return encodeResult(request, negotiate(params.protocolVersion, !isSignedInGateway(request.http)));
      case 'ping':
        return encodeResult(request, {});
      default:
        return failUnknownMethod(method);
    }
  };
  return { request: respond, notify };
}

/** Methods that only the versions with a handshake have, and those that only the stateless version has. */
const withHandshake: ReadonlySet<string> = new Set(['initialize', 'ping']);
const withoutHandshake: ReadonlySet<string> = new Set(['server/discover', 'tasks/get', 'tasks/update', 'tasks/cancel']);

const failUnknownMethod = (method: string): Result<never> => failed({ kind: 'NotFound', what: `method ${quoteValue(method)}` });

const FRESH_MS = 300_000;

/** A result that clients of the stateless version may cache. Lists depend on the key. */
const encodeCacheable = (request: RpcRequest, result: MethodResult): Result<string> =>
  encodeResult(request, request.protocolVersion.isStateless ? { ...result, ttlMs: FRESH_MS, cacheScope: 'private' } : result);

async function callTool(parts: ToolParts, forms: InputForms, request: RpcRequest): Promise<Result<string | Buffer>> {
  const { id, params, protocolVersion, http } = request;
  const found = await findTool(parts, request);
  if (!found.ok) return found;
  const sent = params.arguments ?? {};
  if (!isObject(sent)) return failed(fieldInvalid('arguments', 'Expected an object with the arguments of the tool by name.'));
  const answered = protocolVersion.isStateless ? forms.readAnswer(found.value, params, sent) : succeeded({ sent });
  if (!answered.ok) return answered;
  if (answered.value === 'declined') return encodeResult(request, toolErrorResult(declinedError(http.id)));
  const call = toolCall(parts, request, found.value, answered.value);
  const hasRefusedKey = isSignedInGateway(http) && keyArgumentOf(sent) !== undefined;
  const response = hasRefusedKey ? noKeyHere : await found.value.call(parts, call, answered.value.sent);
  if (response.ok) {
    // a client asks for a task with the key of its headers
    const task = isSameKey(call.credential, keyOf(http, {})) ? taskFor(parts, request, response.value) : null;
    return task ?? succeeded(toolResult(id, response.value, protocolVersion));
  }
  if (protocolVersion.isStateless && showsForms(capabilitiesOf(params))) {
    const form = await forms.formFor(request, found.value, response.failure, choicesFor(parts, call));
    if (form !== null) return form;
  }
  if (!protocolVersion.hasToolErrors || !isForModel(response.failure)) return response;
  logFailure(http, response.failure);
  const failure = await addClosestNames(parts.browse, call, answered.value.sent, response.failure);
  return encodeResult(request, toolErrorResult(toolErrorOf(failure, http.id)));
}

const noKeyHere = failed(fieldInvalid('apiKey', 'The user has signed in: leave the argument out.'));

const MOST_CHOICES = 100; // that a form offers

/** A form without choices has a plain field, so a failure is not reported. */
const choicesFor =
  (parts: ToolParts, { action: _tool, asked: _asked, ...call }: Call): ChoicesOf =>
  async (queryName, parameter) => {
    const form = { run: { queryName }, parameters: [], choicesOf: parameter, search: '', limit: MOST_CHOICES };
    const found = await parts.deliverChoices(call, () => succeeded(form));
    return found.ok && !found.value.truncated ? found.value.items : [];
  };

const declinedError = (requestId: string): RpcError => ({
  code: -32602,
  message: 'The user did not enter the missing parameters. Ask the user how to go on; do not make up values.',
  data: { httpStatus: 400, reason: 'input_declined', requestId },
});

/** A general tool, or one for a query of the key in a header. */
async function findTool(parts: ToolParts, request: RpcRequest): Promise<Result<Tool>> {
  const { name } = request.params;
  if (name === undefined || name === null || name === '') return failed(fieldMissing('name'));
  const general = tools.find((each) => each.name === name);
  if (general !== undefined) return succeeded(general);
  const offered = (hasKeyHeader(request.http) ? await toolsOfKey(parts, request) : null) ?? tools;
  const found = offered.find((each) => each.name === name);
  if (found !== undefined) return succeeded(found);
  const known = offered.map((each) => each.name).join(', ');
  return failed(fieldInvalid('name', `There is no tool ${quoteValue(name)}. The tools are ${known}.`));
}

async function toolsOfKey(parts: ToolParts, request: RpcRequest): Promise<readonly Tool[] | null> {
  const queries = await parts.browse.typedQueries(headerCall(request));
  return queries === null ? null : toolsFor(queries);
}

/** A call that is not to a tool. */
const headerCall = ({ http, reply, method, params }: RpcNotification): Call => ({
  ...callWith(keyOf(http, {}), http, reply, 'mcp'),
  action: method,
  client: clientNameOf(http, clientInfoOf(params)),
});

function toolCall(
  { waitMs }: ToolParts,
  { id, protocolVersion, http, reply, params, onRows }: RpcRequest,
  tool: Pick<Tool, 'name'>,
  { sent, asked }: { readonly sent: Params; readonly asked?: Asked },
): Call {
  const cancelName = protocolVersion.hasCancelNotifications ? cancelNameOf(id) : null;
  return {
    ...callWith(keyOf(http, sent), http, reply, 'mcp'),
    ...filledFields({ cancelName, onRows, asked }),
    action: tool.name,
    client: clientNameOf(http, clientInfoOf(params)),
    waitMs: waitMs(),
  };
}

/** As JSON, because a text and a number are different ids. Long ones have no name: it is stored for other processes. */
function cancelNameOf(id: unknown): string | null {
  if (typeof id !== 'string' && typeof id !== 'number') return null;
  const name = JSON.stringify(id);
  return name.length <= LONGEST_NAME ? name : null;
}

const LONGEST_NAME = 200;

/** Whether a header carries a key, valid or not; the model does not need one then. */
const hasKeyHeader = (request: FastifyRequest): boolean => headerKey(request) !== null;

/** The key of a call: the argument, or a header if it is absent. Other credentials of the request are ignored. */
function keyOf(request: FastifyRequest, sent: Readonly<Record<string, unknown>>): Credential {
  if (isSignedInGateway(request)) return accessTokenOf(request);
  const name = keyArgumentOf(sent);
  const argument = name === undefined ? undefined : sent[name];
  if (typeof argument === 'string') return argument.trim() === '' ? { kind: 'none' } : { kind: 'key', key: argument.trim() };
  if (argument !== undefined && argument !== null) return { kind: 'unreadable' };
  const key = headerKey(request);
  if (key === null) return { kind: 'none' };
  return request.headers['x-api-key'] === undefined ? tokenCredential(key) : { kind: 'key', key };
}

/** Whether this is the gateway of AI applications that sign people in. It accepts no keys. */
const isSignedInGateway = ({ routeOptions }: FastifyRequest): boolean => routeOptions.url === OAUTH_PATH;

const keyArgumentOf = (sent: Readonly<Record<string, unknown>>): string | undefined =>
  Object.keys(sent).find((each) => foldSeparators(each) === 'apikey' && sent[each] !== null);

function headerKey({ headers }: FastifyRequest): string | null {
  const key = headers['x-api-key'];
  if (typeof key === 'string' && key.trim() !== '') return key.trim();
  const bearer = /^bearer(?:\s+(\S.*))?$/is.exec(headers.authorization?.trim() ?? '');
  return bearer === null ? null : (bearer[1] ?? '');
}

const isSameKey = (one: Credential, other: Credential): boolean =>
  (one.kind === 'key' && other.kind === 'key' && one.key === other.key) ||
  ('token' in one && 'token' in other && one.kind === other.kind && one.token === other.token);

const MAX_LENGTH = 300;

/**
 * The client name for the audit trail: that of the request's `_meta`, otherwise its User-Agent. The name in `initialize` says nothing
 * about later calls on the same connection: a proxy shares connections between clients, and not every proxy adds a header.
 */
const clientNameOf = ({ headers }: FastifyRequest, clientInfo: unknown): string | null =>
  formatClient(clientInfo) ?? headers['user-agent']?.slice(0, MAX_LENGTH) ?? null;

function formatClient(clientInfo: unknown): string | null {
  if (!isObject(clientInfo) || typeof clientInfo.name !== 'string' || clientInfo.name === '') return null;
  const version = typeof clientInfo.version === 'string' ? `/${clientInfo.version}` : '';
  return `${clientInfo.name}${version}`.slice(0, MAX_LENGTH).replace(/[\p{Cc}\p{Cs}]/gu, '');
}

const MOST_CLOSEST = 3;

/** Models mistype names: a failure to find a query gets the closest names among those that the caller may run. */
async function addClosestNames(
  browse: Pick<Browse, 'similarNames'>,
  call: Call,
  { queryName, queryId }: Readonly<Record<string, unknown>>,
  failure: Failure,
): Promise<Failure> {
  const sent = queryName || queryId;
  if (failure.kind !== 'QueryNotAccessible' || 'displayName' in failure || typeof sent !== 'string') return failure;
  const names = await browse.similarNames(call, sent);
  const known = [...new Set([findClosestName(sent, names), ...names].filter((name) => name !== undefined))];
  return { ...failure, closest: known.slice(0, MOST_CLOSEST) };
}
