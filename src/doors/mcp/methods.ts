import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Credential } from '../../access/credential.ts';
import type { Call } from '../../delivery/call.ts';
import { type Failure, failed, failureTable, fieldInvalid, fieldMissing, type Result, succeeded } from '../../errors.ts';
import { callOf } from '../http/call-of.ts';
import { logFailure } from '../http/failure-response.ts';
import { ignoringSeparators, isObject } from '../input/fields.ts';
import { ClientNames } from './client-name.ts';
import { clientInfoOf, type Era } from './era.ts';
import { rpcErrorOf } from './explain-to-model.ts';
import type { MessageId, Params } from './json-rpc.ts';
import { discovery, handshake, serverMeta } from './protocol.ts';
import { shown } from './sent-values.ts';
import { listedTools, tools } from './tool-list.ts';
import { toolError, toolResult } from './tool-result.ts';
import type { Tool, ToolParts } from './tool.ts';

/** A JSON-RPC request together with its HTTP request. */
export interface RpcRequest {
  readonly id: MessageId;
  readonly method: string;
  readonly params: Params;
  readonly era: Era;
  readonly http: FastifyRequest;
  readonly reply: FastifyReply;
}

export type Methods = ReturnType<typeof createMethods>;

/** Returns the complete JSON-RPC response as text or bytes. */
export function createMethods(parts: ToolParts) {
  const clients = new ClientNames();
  const withKey = listedTools(true);
  const withoutKey = listedTools(false);
  return async (request: RpcRequest): Promise<Result<string | Buffer>> => {
    const { method, params, era, http } = request;
    switch (method) {
      case 'tools/call':
        return callTool(parts, clients, request);
      case 'tools/list':
        // the list fits one page, so no cursor was ever issued
        if (params.cursor !== undefined && params.cursor !== null)
          return failed(fieldInvalid('cursor', 'Unknown cursor. Call tools/list without one: the list is complete.'));
        return cacheable(request, { tools: hasKeyHeader(http) ? withoutKey : withKey });
      case 'server/discover':
        return era.isStateless ? cacheable(request, discovery()) : unknownMethod(method);
      case 'initialize':
        if (era.isStateless) return unknownMethod(method);
        clients.introduced(http, params.clientInfo);
        return complete(request, handshake(params.protocolVersion));
      case 'ping':
        return era.isStateless ? unknownMethod(method) : complete(request, {});
      default:
        return unknownMethod(method);
    }
  };
}

const unknownMethod = (method: string): Result<never> => failed({ kind: 'NotFound', what: `method ${shown(method)}` });

const complete = ({ id, era }: RpcRequest, result: object): Result<string> => {
  const sent = era.isStateless ? { resultType: 'complete', ...result, _meta: serverMeta() } : result;
  return succeeded(JSON.stringify({ jsonrpc: '2.0', result: sent, id }));
};

const FRESH_MS = 300_000;

/** A result that clients of the stateless era may keep. Lists depend on the key. */
const cacheable = (request: RpcRequest, result: object): Result<string> =>
  complete(request, request.era.isStateless ? { ...result, ttlMs: FRESH_MS, cacheScope: 'private' } : result);

async function callTool(parts: ToolParts, clients: ClientNames, request: RpcRequest): Promise<Result<string | Buffer>> {
  const { id, params, era, http } = request;
  const found = toolOf(params.name);
  if (!found.ok) return found;
  const sent = params.arguments ?? {};
  if (!isObject(sent)) return failed(fieldInvalid('arguments', 'Expected an object with the arguments of the tool by name.'));
  const response = await found.value.call(parts, toolCall(clients, request, found.value, sent), sent);
  if (response.ok) return succeeded(toolResult(id, response.value, era));
  if (!era.hasToolErrors || !isForModel(response.failure)) return response;
  logFailure(http, response.failure);
  return succeeded(toolError(id, rpcErrorOf(response.failure, http.id), era));
}

/** Whether a model can correct its call: -32602, 40301, 41001 and 50401. */
const isForModel = ({ kind }: Failure): boolean => correctable.has(failureTable[kind].rpc);
const correctable: ReadonlySet<number> = new Set([-32602, 40301, 41001, 50401]);

function toolOf(name: unknown): Result<Tool> {
  if (name === undefined || name === null || name === '') return failed(fieldMissing('name'));
  const found = tools.find((each) => each.name === name);
  if (found !== undefined) return succeeded(found);
  const known = tools.map((each) => each.name).join(', ');
  return failed(fieldInvalid('name', `There is no tool ${shown(name)}. The tools are ${known}.`));
}

function toolCall(clients: ClientNames, { http, reply, params }: RpcRequest, tool: Tool, sent: Params): Call {
  return {
    ...callOf(http, reply, 'mcp', { cookie: false }),
    credential: keyOf(http, sent),
    action: tool.name,
    client: clients.nameOf(http, clientInfoOf(params)),
  };
}

/** Whether a header carries a key, valid or not; the model does not need one then. */
const hasKeyHeader = (request: FastifyRequest): boolean => headerKey(request) !== null;

/** The key of a call: the argument, or a header if it is absent. Other credentials of the request are ignored. */
function keyOf(request: FastifyRequest, sent: Readonly<Record<string, unknown>>): Credential {
  const name = Object.keys(sent).find((each) => ignoringSeparators(each) === 'apikey' && sent[each] !== null);
  const argument = name === undefined ? undefined : sent[name];
  if (typeof argument === 'string') return argument.trim() === '' ? { kind: 'none' } : { kind: 'key', key: argument.trim() };
  if (argument !== undefined && argument !== null) return { kind: 'unreadable' };
  const key = headerKey(request);
  return key === null ? { kind: 'none' } : { kind: 'key', key };
}

function headerKey({ headers }: FastifyRequest): string | null {
  const key = headers['x-api-key'];
  if (typeof key === 'string' && key.trim() !== '') return key.trim();
  const bearer = /^bearer(?:\s+(.*))?$/i.exec(headers.authorization?.trim() ?? '');
  return bearer === null ? null : (bearer[1] ?? '');
}
