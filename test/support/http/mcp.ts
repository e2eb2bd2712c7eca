import { expect } from 'vitest';
import type { ApiResponse } from '../services/service.ts';

export interface RpcResponse {
  readonly jsonrpc: string;
  readonly id: unknown;
  readonly result?: Record<string, unknown>;
  readonly error?: RpcError;
}
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data: { readonly httpStatus: number; readonly reason: string; readonly requestId: string };
}

/** The structured content of a tool result, which equals its text block. */
export type ToolContent = Record<string, unknown>;

export interface McpCaller {
  /** Sends any body; a string is sent unchanged. */
  post(body: unknown, headers?: Record<string, string>): Promise<ApiResponse<RpcResponse>>;
  rpc(method: string, params?: unknown, headers?: Record<string, string>): Promise<ApiResponse<RpcResponse>>;
  /** The response of tools/call. */
  call(tool: string, sent?: unknown, headers?: Record<string, string>): Promise<ApiResponse<RpcResponse>>;
  /** The result of a successful tools/call. */
  tool(tool: string, sent?: Record<string, unknown>, headers?: Record<string, string>): Promise<ToolContent>;
  /** The error of a failed tools/call. */
  refusal(tool: string, sent?: unknown, headers?: Record<string, string>): Promise<RpcError>;
}

/** A plain JSON-RPC caller; `key` is sent as the argument apiKey of every tool. */
export function mcpOf({ url }: { readonly url: string }, key?: string): McpCaller {
  const post: McpCaller['post'] = async (body, headers = {}) => {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: text === '' ? undefined : JSON.parse(text) };
  };
  const rpc: McpCaller['rpc'] = (method, params, headers) =>
    post({ jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) }, headers);
  const call: McpCaller['call'] = (name, sent = {}, headers = {}) => {
    const withKey = typeof sent === 'object' && sent !== null && key !== undefined ? { apiKey: key, ...sent } : sent;
    return rpc('tools/call', { name, arguments: withKey }, headers);
  };
  return {
    post,
    rpc,
    call,
    tool: async (name, sent, headers) => contentOf(await call(name, sent, headers)),
    refusal: async (name, sent, headers) => errorOf(await call(name, sent, headers)),
  };
}

export type StatelessCaller = Pick<McpCaller, 'rpc' | 'call'>;

/** A caller of the revision 2026-07-28, with the headers and `_meta` that it requires. */
export function statelessOf(
  service: { readonly url: string },
  credentials: Record<string, string> = {},
  capabilities: Record<string, unknown> = {},
): StatelessCaller {
  const { post } = mcpOf(service);
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'stateless test', version: '1.0' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const rpc: McpCaller['rpc'] = (method, params = {}, headers = {}) => {
    const sent: Record<string, unknown> = { _meta: meta, ...(params as object) };
    const name = sent.name ?? sent.uri ?? sent.taskId;
    const standard = {
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      ...(typeof name === 'string' ? { 'Mcp-Name': name } : {}),
    };
    return post({ jsonrpc: '2.0', id: 1, method, params: sent }, { ...credentials, ...standard, ...headers });
  };
  return { rpc, call: (name, sent = {}, headers = {}) => rpc('tools/call', { name, arguments: sent }, headers) };
}

export function contentOf({ status, json, text }: ApiResponse<RpcResponse>): ToolContent {
  if (json?.result === undefined) throw new Error(`no result: ${text.slice(0, 2000)}`);
  expect(status).toBe(200);
  const structuredContent = json.result.structuredContent as ToolContent; // checked against the text below
  const [block] = blocksOf({ json });
  expect(block?.type).toBe('text');
  // byte for byte the same JSON
  expect(text).toContain(`"structuredContent":${block?.text}`);
  expect(JSON.parse(String(block?.text))).toEqual(structuredContent);
  return structuredContent;
}

export const blocksOf = ({ json }: Pick<ApiResponse<RpcResponse>, 'json'>): readonly Record<string, unknown>[] =>
  Array.isArray(json.result?.content) ? json.result.content : [];

function errorOf({ json, text }: ApiResponse<RpcResponse>): RpcError {
  if (json?.error === undefined) throw new Error(`no error: ${text.slice(0, 2000)}`);
  expect(json.error.message).not.toMatch(/unauthorized/i);
  return json.error;
}

export type Rows = readonly Record<string, unknown>[];
export const rowsOf = (content: ToolContent): Rows => content.Data as Rows;
