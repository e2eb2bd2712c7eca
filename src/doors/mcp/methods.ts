import type { FastifyReply, FastifyRequest } from 'fastify';
import { withoutKeys } from '../../access/api-key.ts';
import type { Credential } from '../../access/credential.ts';
import type { Call } from '../../delivery/call.ts';
import { failed, fieldInvalid, fieldMissing, type Result, succeeded } from '../../errors.ts';
import { callOf } from '../http/call-of.ts';
import { ignoringSeparators, isObject } from '../input/fields.ts';
import { ClientNames } from './client-name.ts';
import { type MessageId, type Params, resultText } from './json-rpc.ts';
import { handshake, knowsResourceLinks } from './protocol.ts';
import { listedTools, tools } from './tool-list.ts';
import { toolResult } from './tool-result.ts';
import type { Tool, ToolParts } from './tool.ts';

/** A JSON-RPC request together with its HTTP request. */
export interface RpcRequest {
  readonly id: MessageId;
  readonly method: string;
  readonly params: Params;
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
    const { id, method, params, http } = request;
    switch (method) {
      case 'initialize':
        clients.introduced(http, params.clientInfo);
        return succeeded(resultText(id, handshake(params.protocolVersion)));
      case 'ping':
        return succeeded(resultText(id, {}));
      case 'tools/list':
        // the list fits one page, so no cursor was ever issued
        if (params.cursor !== undefined && params.cursor !== null)
          return failed(fieldInvalid('cursor', 'Unknown cursor. Call tools/list without one: the list is complete.'));
        return succeeded(resultText(id, { tools: hasKeyHeader(http) ? withoutKey : withKey }));
      case 'tools/call':
        return callTool(parts, clients, request);
      default:
        return failed({ kind: 'NotFound', what: `method ${shown(method)}` });
    }
  };
}

async function callTool(parts: ToolParts, clients: ClientNames, request: RpcRequest): Promise<Result<Buffer>> {
  const { id, params, http } = request;
  const found = toolOf(params.name);
  if (!found.ok) return found;
  const sent = params.arguments ?? {};
  if (!isObject(sent)) return failed(fieldInvalid('arguments', 'Expected an object with the arguments of the tool by name.'));
  const response = await found.value.call(parts, toolCall(clients, request, found.value, sent), sent);
  if (!response.ok) return response;
  return succeeded(toolResult(id, response.value, knowsResourceLinks(headerOf(http, 'mcp-protocol-version'))));
}

function toolOf(name: unknown): Result<Tool> {
  if (name === undefined || name === null || name === '') return failed(fieldMissing('name'));
  const found = tools.find((each) => each.name === name);
  if (found !== undefined) return succeeded(found);
  const known = tools.map((each) => each.name).join(', ');
  return failed(fieldInvalid('name', `There is no tool ${shown(name)}. The tools are ${known}.`));
}

function toolCall(clients: ClientNames, { http, reply }: RpcRequest, tool: Tool, sent: Params): Call {
  return {
    ...callOf(http, reply, 'mcp', { cookie: false }),
    credential: keyOf(http, sent),
    action: tool.name,
    client: clients.nameOf(http),
  };
}

/** Empty headers count as absent. */
export function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A value from the client, shortened for error messages. */
export const shown = (value: unknown): string =>
  JSON.stringify(typeof value === 'string' ? withoutKeys(value).slice(0, 100) : typeof value);

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
