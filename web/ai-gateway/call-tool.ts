import { unreachable } from '../app/problem.ts';
import type { HttpCall } from '../components/copy/curl.ts';
import { indentJson } from '../query-to-json/indent-json.ts';
import { KEY_ARGUMENT } from './tool-fields.ts';

export interface ToolResponse {
  readonly status: number;
  readonly durationMs: number;
  readonly error: { readonly code: number | null; readonly message: string } | null;
  readonly text: string; // JSON to be read: what the tool gave, or the whole response where it failed
  readonly content: Readonly<Record<string, unknown>>; // the same as values
}

/** tools/call as a plain JSON-RPC caller sends it, the key as an argument. */
export const toolCall = (tool: string, sent: Readonly<Record<string, unknown>>, key: string, url: string): HttpCall => ({
  method: 'POST',
  url,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: tool, arguments: { [KEY_ARGUMENT]: key, ...sent } },
  }),
});

/** Without the session's cookie: the key alone counts. To where this page comes from, whatever address the gateway names. */
export async function callTool({ method, url, headers, body }: HttpCall): Promise<ToolResponse> {
  const startedAt = performance.now();
  try {
    const response = await fetch(new URL(url).pathname, { method, headers, body, credentials: 'omit' });
    const text = await response.text();
    return { status: response.status, durationMs: performance.now() - startedAt, ...read(text) };
  } catch {
    throw unreachable();
  }
}

function read(text: string): Pick<ToolResponse, 'error' | 'text' | 'content'> {
  const { result, error } = parsed(text);
  if (result === undefined) {
    const { code, message } = objectOf(error);
    const explanation = typeof message === 'string' ? message : 'The gateway gave no response that can be read.';
    return { error: { code: typeof code === 'number' ? code : null, message: explanation }, text: indentJson(text), content: {} };
  }
  const { content, structuredContent } = objectOf(result);
  // the text block is the JSON of the structured content, with numbers as the service wrote them
  const written: unknown = Array.isArray(content) ? objectOf(content[0]).text : undefined;
  return { error: null, text: indentJson(typeof written === 'string' ? written : text), content: objectOf(structuredContent) };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
