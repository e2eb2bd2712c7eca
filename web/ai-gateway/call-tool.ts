import { unreachable } from '../app/problem.ts';
import type { HttpCall } from '../components/copy/curl.ts';
import { indentJson } from '../query-to-json/indent-json.ts';
import { KEY_ARGUMENT } from './tool-fields.ts';

export interface ToolResponse {
  readonly status: number;
  readonly durationMs: number;
  readonly error: { readonly code: number | null; readonly message: string } | null;
  readonly text: string; // JSON: the tool's result, or the whole response if it failed
  readonly content: Readonly<Record<string, unknown>>; // the same, parsed
}

/** A tools/call request with the key as an argument. */
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

/** Sends only the key, without the session cookie, to the host of this page: the gateway's public URL may be that of a proxy. */
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
    const explanation = typeof message === 'string' ? message : 'The gateway returned an invalid response.';
    return { error: { code: typeof code === 'number' ? code : null, message: explanation }, text: indentJson(text), content: {} };
  }
  const { content, structuredContent } = objectOf(result);
  // the text block is the same JSON, with numbers exactly as the service wrote them
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
