import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
  RouteOptions,
} from 'fastify';
import { z } from 'zod';
import { OAUTH_PATH, SCOPE } from '../../administration/oauth/authorization-server.ts';
import type { Config } from '../../config/config.ts';
import { type Failure, failureTable, type Result } from '../../core/errors.ts';
import { explain } from '../../core/explain.ts';
import type { Call } from '../../pipeline/call.ts';
import type { Tracing } from '../../pipeline/tracing.ts';
import { addressCheck } from '../http/address-check.ts';
import { accessTokenOf, callWith } from '../http/call-of.ts';
import { logFailure } from '../http/failure-response.ts';
import { nameSchemas, type Operation } from '../http/operation.ts';
import { allowOrigin, type Origins } from '../http/origins.ts';
import { failureOf, sendAllowed, sendOnce } from '../http/server.ts';
import { isObject } from '../input/fields.ts';
import { readJson } from '../input/json.ts';
import { progressTokenOf, sendEvents } from './event-stream.ts';
import { httpStatusOf, rpcErrorOf, tokenErrorOf } from './explain-to-model.ts';
import { errorText, idOf, invalidMessage, type MessageId, readMessage, rpcError } from './json-rpc.ts';
import { createMethods, type Methods } from './methods.ts';
import { banner, type ProtocolVersion, protocolVersionOf, hasBatches, type RpcRequest } from './protocol.ts';
import type { ToolParts } from './tool.ts';

export interface McpParts extends ToolParts {
  readonly config: Pick<Config, 'mcp' | 'mcpAllow'>;
  readonly origins: Origins;
  readonly tracing: Pick<Tracing, 'join'> | null;
  readonly oauth: SignedInGateway | null; // null: AI applications cannot sign people in
}

export interface SignedInGateway {
  readonly authenticate: (call: Call) => Promise<Result<unknown>>;
  readonly metadataUrl: () => string;
}

export const MCP_PATH = '/mcp';

const bannerResponse = z.object({ service: z.string(), protocol: z.string() });
const messageBody = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).optional().describe('Left out: a notification (202)'),
  method: z.string().describe('tools/list, tools/call, initialize, ping or server/discover'),
  params: z.record(z.string(), z.unknown()).nullish(),
});
const messageId = z.union([z.string(), z.number(), z.null()]).describe('That of the message; null if it has none');
const rpcResponse = z.object({
  jsonrpc: z.literal('2.0'),
  id: messageId,
  result: z.record(z.string(), z.unknown()).optional().describe('The result of the method; left out if it failed'),
  error: rpcError.optional().describe('Why it failed'),
});
const refusedMessage = z.object({ jsonrpc: z.literal('2.0'), id: messageId, error: rpcError });

nameSchemas({
  McpBanner: bannerResponse,
  McpMessage: messageBody,
  McpResponse: rpcResponse,
  McpError: rpcError,
  McpRefusal: refusedMessage,
});

const refusals = {
  failures: ['OriginNotAllowed', 'AddressNotAllowed', 'MethodNotAllowed'],
  failureContent: { 'application/json': refusedMessage },
} as const;

const bannerOperation: Operation = {
  ...refusals,
  id: 'getMcpBanner',
  tag: 'MCP',
  summary: 'What this is',
  credentials: [],
  responses: { 200: bannerResponse },
};
const messageOperation: Operation = {
  ...refusals,
  id: 'sendMcpMessage',
  tag: 'MCP',
  summary: 'A JSON-RPC 2.0 message; see docs/mcp.md',
  description:
    'A batch needs the header MCP-Protocol-Version: 2025-03-26. Tools need an API key, in a header or as the argument `apiKey`;' +
    ' their failures are JSON-RPC errors with the status 200.',
  credentials: ['none', 'apiKey', 'bearer'],
  body: z.union([messageBody, z.array(messageBody)]),
  responses: {
    200: z.union([rpcResponse, z.array(rpcResponse)]),
    202: { description: 'The notification was accepted; no body.' },
  },
  failures: [...refusals.failures, 'RequestInvalid', 'MediaTypeUnsupported'],
  example: { body: { jsonrpc: '2.0', id: 1, method: 'ping' }, response: { jsonrpc: '2.0', result: {}, id: 1 } },
};

/** The gateway of docs/spec.md 4.5 and 4.6: stateless JSON-RPC over POST, without sessions. Responses are event streams only to report progress. */
export function registerMcpRoutes(app: FastifyInstance, parts: McpParts): void {
  if (!parts.config.mcp) return; // 404, like any unknown path
  registerGateway(app, parts, MCP_PATH, []);
  if (parts.oauth !== null) registerGateway(app, parts, OAUTH_PATH, [requireToken(parts.oauth)]);
}

function registerGateway(app: FastifyInstance, parts: McpParts, url: string, checks: readonly onRequestHookHandler[]): void {
  const gate = createGate(parts.origins, parts.config.mcpAllow);
  // the OpenAPI document has the gateway once; generated clients send keys
  const described = (operation: Operation) => (url === MCP_PATH ? operation : null);
  const common = {
    url,
    onRequest: [
      (request, reply, done) => {
        const refusal = gate(request);
        if (refusal !== null) return void sendRpcFailure(request, reply, refusal);
        if (request.headers.origin !== undefined) allowOrigin(request, reply, cors); // the gate has rejected other Origins
        done();
      },
      ...checks,
    ],
    errorHandler: (error, request, reply) => void sendRpcFailure(request, reply, failureOf(error, request)),
  } satisfies Partial<RouteOptions>;

  app.route({
    ...common,
    method: 'GET',
    config: { operation: described(bannerOperation) },
    handler: (request, reply) => {
      if (/text\/event-stream/i.test(request.headers.accept ?? '')) return refuseMethod(request, reply, ['POST']);
      return reply.header('Cache-Control', 'no-store').type('application/json').send(JSON.stringify(banner));
    },
  });
  app.route({ ...common, method: 'POST', config: { operation: described(messageOperation) }, handler: postResponse(parts) });
  app.route({
    ...common,
    method: ['PUT', 'PATCH', 'DELETE'],
    config: { operation: null },
    handler: (request, reply) => refuseMethod(request, reply, ['GET', 'POST']),
  });
  app.route({
    ...common,
    method: 'OPTIONS',
    config: { operation: null },
    handler: (request, reply) => sendAllowed(request, reply, ['GET', 'HEAD', 'POST']),
  });
}

/** Every message needs a token here; without a good one the client learns where to sign its user in. */
const requireToken =
  ({ authenticate, metadataUrl }: SignedInGateway): onRequestAsyncHookHandler =>
  async (request, reply) => {
    if (request.method === 'OPTIONS') return;
    const call = callWith(accessTokenOf(request), request, reply, 'mcp');
    const found = await authenticate(call);
    if (found.ok) return;
    const { status } = failureTable[found.failure.kind];
    const sent = call.credential.kind === 'none' ? '' : ', error="invalid_token"';
    if (status === CHALLENGED)
      reply.header('WWW-Authenticate', `Bearer resource_metadata="${metadataUrl()}", scope="${SCOPE}"${sent}`);
    logFailure(request, found.failure);
    const body = errorText(null, tokenErrorOf(found.failure, request.id, metadataUrl()));
    await reply.code(status).header('Cache-Control', 'no-store').header('Content-Type', JSON_TYPE).send(body);
  };

const CHALLENGED = failureTable.CredentialMissing.status;

// the key may be in the body, so that bodies are parsed before their senders are known
const MAX_PARTS = 5000;

function postResponse(parts: McpParts): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  const methods = createMethods(parts);
  return async (request, reply) => {
    const json = readJson(request, 'json', { isMessage: true, maxParts: MAX_PARTS });
    if (!json.ok) return sendRpcFailure(request, reply, unreadableMessage(json.failure, request.id));
    const { value } = json;
    if (parts.tracing !== null) joinTrace(parts.tracing, request.id, Array.isArray(value) ? value[0] : value);
    const response = Array.isArray(value)
      ? await batchResponse(methods, request, reply, value)
      : await messageResponse(methods, request, reply, value);
    if (response === 'sent') return reply;
    const { status, body } = response;
    reply.code(status).header('Cache-Control', 'no-store');
    return body === null ? reply.send() : sendOnce(reply.header('Content-Type', JSON_TYPE), body);
  };
}

/** A message that repeats a name is refused as unreadable: its id is not known. */
const unreadableMessage = (failure: Failure, requestId: string): Failure =>
  'problems' in failure ? invalidMessage(explain(failure, requestId)).failure : failure;

/** `_meta.traceparent`, as of a client that cannot set the header. */
function joinTrace(tracing: Pick<Tracing, 'join'>, id: string, message: unknown): void {
  const params = isObject(message) ? message.params : undefined;
  const meta = isObject(params) ? params._meta : undefined;
  if (isObject(meta) && typeof meta.traceparent === 'string') tracing.join({ id, traceparent: meta.traceparent });
}

const JSON_TYPE = 'application/json; charset=utf-8';

interface RpcResponse {
  readonly status: number;
  readonly body: string | Buffer | null;
}

const accepted: RpcResponse = { status: 202, body: null };

async function messageResponse(
  methods: Methods,
  request: FastifyRequest,
  reply: FastifyReply,
  value: unknown,
  isAlone = true, // not part of a batch, so that the response may be an event stream
): Promise<RpcResponse | 'sent'> {
  const id = idOf(value);
  const message = readMessage(value);
  if (!message.ok) return failureResponse(request, id, message.failure);
  const protocolVersion = protocolVersionOf(request.headers, message.value);
  if (!protocolVersion.ok) return failureResponse(request, id, protocolVersion.failure);
  if (message.value.kind === 'response') return accepted;
  const { method, params } = message.value;
  if (message.value.kind === 'notification') {
    methods.notify({ method, params, http: request, reply });
    return accepted;
  }
  const call = { id: message.value.id, method, params, protocolVersion: protocolVersion.value, http: request, reply };
  const token = isAlone ? progressTokenOf(request, message.value) : undefined;
  if (token === undefined) return respond(methods, call);
  // the headers have been sent, so that the error handler of the route cannot respond
  const defect = (error: unknown) => failureResponse(request, call.id, failureOf(error, request), call.protocolVersion);
  sendEvents(reply, token, async (onRows) => (await respond(methods, { ...call, onRows }).catch(defect)).body ?? '');
  return 'sent';
}

async function respond(methods: Methods, call: RpcRequest): Promise<RpcResponse> {
  const response = await methods.request(call);
  return response.ok
    ? { status: 200, body: response.value }
    : failureResponse(call.http, call.id, response.failure, call.protocolVersion);
}

const MOST_MESSAGES = 20;

/** One message after the other, so that a batch needs no more than a single call at a time. */
async function batchResponse(methods: Methods, request: FastifyRequest, reply: FastifyReply, messages: readonly unknown[]) {
  const problem = batchProblem(request, messages);
  if (problem !== null) return failureResponse(request, null, invalidMessage(problem).failure);
  reply.raw.setMaxListeners(0); // each call waits for the end of the response
  const responses: Buffer[] = [];
  for (const message of messages) {
    const response = await messageResponse(methods, request, reply, message, false);
    const body = response === 'sent' ? null : response.body;
    if (body !== null) responses.push(Buffer.from(responses.length === 0 ? '[' : ','), Buffer.from(body));
  }
  return responses.length === 0 ? accepted : { status: 200, body: Buffer.concat([...responses, Buffer.from(']')]) };
}

function batchProblem(request: FastifyRequest, messages: readonly unknown[]): string | null {
  if (!hasBatches(request.headers)) return 'batches need MCP-Protocol-Version: 2025-03-26; send one object per POST.';
  if (messages.length === 0 || messages.length > MOST_MESSAGES) return `a batch has 1 to ${MOST_MESSAGES} messages.`;
  const countOf = (method: string): number => messages.filter((each) => isObject(each) && each.method === method).length;
  if (countOf('initialize') > 0) return 'initialize may not be part of a batch.';
  // the App is 700 kB, which anyone may read
  return countOf('resources/read') > 1 ? 'a batch may contain one resources/read.' : null;
}

/** Never 401 or WWW-Authenticate, which would make clients look for an OAuth server. */
function failureResponse(
  request: FastifyRequest,
  id: MessageId | null,
  failure: Failure,
  protocolVersion: ProtocolVersion | null = null,
): RpcResponse & { body: string } {
  logFailure(request, failure);
  return {
    status: httpStatusOf(failure, protocolVersion),
    body: errorText(id, rpcErrorOf(failure, request.id, protocolVersion)),
  };
}

function sendRpcFailure(request: FastifyRequest, reply: FastifyReply, failure: Failure): FastifyReply {
  const { status, body } = failureResponse(request, null, failure);
  if (failure.kind === 'MethodNotAllowed') reply.header('Allow', failure.allow.join(', '));
  return reply.code(status).header('Cache-Control', 'no-store').header('Content-Type', JSON_TYPE).send(body);
}

const refuseMethod = (request: FastifyRequest, reply: FastifyReply, allow: readonly string[]): FastifyReply =>
  sendRpcFailure(request, reply, { kind: 'MethodNotAllowed', allow });

const cors = {
  methods: 'GET, POST',
  headers: 'Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, X-API-Key',
  exposed: 'WWW-Authenticate, X-Request-Id',
};

/** Restricts access to the gateway: Host and Origin against DNS rebinding, and addresses if ranges are configured. */
export function createGate(origins: Pick<Origins, 'refusalOf'>, ranges: readonly string[]): Origins['refusalOf'] {
  if (ranges.length === 0) return origins.refusalOf;
  const isAllowed = addressCheck(ranges);
  return (request: FastifyRequest): Failure | null =>
    isAllowed(request.ip ?? '') ? origins.refusalOf(request) : { kind: 'AddressNotAllowed' };
}
