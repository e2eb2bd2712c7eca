import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { z } from 'zod';
import type { Config } from '../../config/config.ts';
import { type Failure, failed, type Result } from '../../errors.ts';
import { logFailure } from '../http/failure-response.ts';
import { readJson } from '../http/json-body.ts';
import { documentedOpen, undocumented } from '../http/openapi.ts';
import { allowOrigin, type Origins } from '../http/origins.ts';
import { failureOf } from '../http/server.ts';
import { httpStatusOf, rpcErrorOf } from './explain-to-model.ts';
import { createGate } from './gate.ts';
import { errorText, idOf, type MessageId, readMessage } from './json-rpc.ts';
import { createMethods, headerOf, shown } from './methods.ts';
import { banner, headerVersions, isKnownVersion } from './protocol.ts';
import type { ToolParts } from './tool.ts';

export interface McpParts extends ToolParts {
  readonly config: Pick<Config, 'mcp' | 'mcpAllow'>;
  readonly origins: Origins;
}

export const MCP_PATH = '/mcp';

/** The gateway of docs/spec.md 4.5 and 4.6: stateless JSON-RPC over POST, without sessions, event streams and batches. */
export function registerMcpRoutes(app: FastifyInstance, parts: McpParts): void {
  if (!parts.config.mcp) return; // 404, like any unknown path
  const gate = createGate(parts.origins, parts.config.mcpAllow);
  const common = {
    url: MCP_PATH,
    onRequest: (request, reply, done) => {
      const refusal = gate(request);
      if (refusal !== null) return void sendRpcFailure(request, reply, null, refusal);
      if (request.headers.origin !== undefined) allowOrigin(request, reply, cors); // the gate has rejected other Origins
      done();
    },
    errorHandler: (error, request, reply) => void sendRpcFailure(request, reply, null, failureOf(error)),
  } satisfies Partial<RouteOptions>;

  app.route({
    ...common,
    method: 'GET',
    ...documentedOpen('MCP', 'What this is', { response: { 200: bannerResponse } }),
    handler: (request, reply) => {
      if (/text\/event-stream/i.test(request.headers.accept ?? '')) return refuseMethod(request, reply, ['POST']);
      return reply.header('Cache-Control', 'no-store').type('application/json').send(JSON.stringify(banner));
    },
  });
  app.route({
    ...common,
    method: 'POST',
    ...documentedOpen('MCP', 'A JSON-RPC 2.0 message; see docs/mcp.md', { body: messageBody }),
    handler: postResponse(parts),
  });
  app.route({
    ...common,
    method: ['PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    ...undocumented,
    handler: (request, reply) => {
      const isPreflight = request.method === 'OPTIONS' && request.headers.origin !== undefined;
      return isPreflight ? reply.code(204).send() : refuseMethod(request, reply, ['GET', 'POST']);
    },
  });
}

const bannerResponse = z.object({ service: z.string(), protocol: z.string() });
const messageBody = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).optional().describe('Left out: a notification (202)'),
  method: z.string().describe('initialize, ping, tools/list or tools/call'),
  params: z.record(z.string(), z.unknown()).optional(),
});

function postResponse(parts: McpParts): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  const methods = createMethods(parts);
  return async (request, reply) => {
    const json = readJson(request);
    if (!json.ok) return sendRpcFailure(request, reply, null, json.failure);
    const id = idOf(json.value);
    const message = readMessage(json.value);
    if (!message.ok) return sendRpcFailure(request, reply, id, message.failure);
    const version = checkVersion(request, 'method' in message.value ? message.value.method : '');
    if (!version.ok) return sendRpcFailure(request, reply, id, version.failure);
    if (message.value.kind !== 'request') return reply.code(202).header('Cache-Control', 'no-store').send();
    const response = await methods({ ...message.value, http: request, reply });
    if (!response.ok) return sendRpcFailure(request, reply, id, response.failure);
    return reply.header('Cache-Control', 'no-store').header('Content-Type', JSON_TYPE).send(asText(response.value));
  };
}

const JSON_TYPE = 'application/json; charset=utf-8';
const SHORT = 4096;

/** Short responses are sent as text, in one packet with the headers. */
const asText = (response: string | Buffer): string | Buffer =>
  typeof response !== 'string' && response.length < SHORT ? response.toString('utf8') : response;

/** `initialize` negotiates the version, so its header is not checked. */
function checkVersion(request: FastifyRequest, method: string): Result<null> {
  const sent = headerOf(request, 'mcp-protocol-version');
  if (sent === undefined || method === 'initialize' || isKnownVersion(sent)) return { ok: true, value: null };
  const known = `${headerVersions.slice(0, -1).join(', ')} or ${headerVersions.at(-1)}`;
  return failed({
    kind: 'RequestInvalid',
    reason: `MCP-Protocol-Version ${shown(sent)} is not supported; use ${known}, or leave it out.`,
  });
}

/** Never sends 401 or WWW-Authenticate, which would make clients look for an OAuth server. */
function sendRpcFailure(request: FastifyRequest, reply: FastifyReply, id: MessageId | null, failure: Failure): FastifyReply {
  logFailure(request, failure);
  if (failure.kind === 'MethodNotAllowed') reply.header('Allow', failure.allow.join(', '));
  return reply
    .code(httpStatusOf(failure))
    .header('Cache-Control', 'no-store')
    .header('Content-Type', JSON_TYPE)
    .send(errorText(id, rpcErrorOf(failure, request.id)));
}

const refuseMethod = (request: FastifyRequest, reply: FastifyReply, allow: readonly string[]): FastifyReply =>
  sendRpcFailure(request, reply, null, { kind: 'MethodNotAllowed', allow });

const cors = {
  methods: 'GET, POST',
  headers: 'Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Session-Id, X-API-Key',
  exposed: 'X-Request-Id',
};
