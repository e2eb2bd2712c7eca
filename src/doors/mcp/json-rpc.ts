import { z } from 'zod';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import { isObject } from '../input/fields.ts';

export type MessageId = string | number;

/** A message from a client. Notifications and responses are accepted and ignored. */
export type Message =
  | { readonly kind: 'request'; readonly id: MessageId; readonly method: string; readonly params: Params }
  | { readonly kind: 'notification'; readonly method: string; readonly params: Params }
  | { readonly kind: 'response' };

export type Params = Readonly<Record<string, unknown>>;

/** Parses a JSON-RPC 2.0 message: no `id: null`, params by name. */
export function readMessage(value: unknown): Result<Message> {
  if (!isObject(value)) return invalidMessage('expected an object with jsonrpc, id, method and params.');
  const { jsonrpc, id, method, params } = value;
  if (jsonrpc !== '2.0') return invalidMessage('jsonrpc must be the string "2.0".');
  if (typeof id === 'number' && !isId(id))
    return invalidMessage('id is too large to be returned exactly; send it as a string, such as "9007199254740993".');
  if (id !== undefined && !isId(id)) return invalidMessage('id must be a string or a number; leave it out for a notification.');
  if (method === undefined) {
    const isResponse = id !== undefined && ('result' in value || isObject(value.error));
    return isResponse ? succeeded({ kind: 'response' }) : invalidMessage('method is missing.');
  }
  if (typeof method !== 'string') return invalidMessage('method must be a string.');
  if (params !== undefined && params !== null && !isObject(params)) return invalidMessage('params must be an object.');
  const sent = { method, params: params ?? {} };
  return succeeded(id === undefined ? { kind: 'notification', ...sent } : { kind: 'request', id, ...sent });
}

/** The id for the response, even if the message is otherwise invalid. */
export const idOf = (value: unknown): MessageId | null => (isObject(value) && isId(value.id) ? value.id : null);

// ids that cannot be echoed exactly are rejected
const isId = (id: unknown): id is MessageId =>
  typeof id === 'string' || (typeof id === 'number' && Math.abs(id) <= Number.MAX_SAFE_INTEGER);

export const invalidMessage = (reason: string) =>
  failed({ kind: 'RequestInvalid', reason: `This is not a JSON-RPC 2.0 request: ${reason}` });

export const rpcError = z
  .object({
    code: z.number().int().describe('See docs/mcp.md'),
    message: z.string().describe('What to do next'),
    data: z
      .object({
        httpStatus: z.number().int(),
        reason: z.string().describe('The stable error code, as in `code` of a problem'),
        requestId: z.string(),
        uri: z.string().optional().describe('The unknown resource'),
        requested: z.string().optional().describe('The protocol version that is not supported'),
        requiredCapabilities: z.record(z.string(), z.unknown()).optional().describe('What the client must announce'),
        supported: z.array(z.string()).readonly().optional().describe('The supported protocol versions'),
      })
      .readonly(),
  })
  .readonly();
export type RpcError = z.output<typeof rpcError>;

export const errorText = (id: MessageId | null, error: RpcError): string => JSON.stringify({ jsonrpc: '2.0', error, id });
