import { call } from '../app/api.ts';
import { type HttpCall, keyFromVariable } from '../components/copy/curl.ts';
import { indentJson } from '../query-to-json/indent-json.ts';
import { objectOf } from './tool-fields.ts';

export interface ToolResponse {
  readonly durationMs: number;
  readonly error: { readonly code: number | null; readonly message: string } | null;
  readonly text: string; // JSON: the tool's result, or the whole response if it failed
  readonly content: Readonly<Record<string, unknown>>; // the same, parsed
}

/** The call of an assistant, with the key in a header. */
export const toolCall = (tool: string, sent: Readonly<Record<string, unknown>>, url: string): HttpCall => ({
  method: 'POST',
  url,
  headers: { 'X-API-Key': keyFromVariable, 'Content-Type': 'application/json' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: sent } }),
});

/** Calls the tool with the rights of the signed-in user. */
export async function callTool(name: string, sent: Readonly<Record<string, unknown>>): Promise<ToolResponse> {
  const startedAt = performance.now();
  const response = await call('POST /api/v1/mcp/tools/{name}/call', { params: { name }, body: sent });
  return { durationMs: performance.now() - startedAt, ...readResponse(response) };
}

function readResponse(response: Readonly<Record<string, unknown>>): Omit<ToolResponse, 'durationMs'> {
  const { result, error } = response;
  const whole = JSON.stringify(response);
  if (result === undefined) {
    const { code, message } = objectOf(error);
    const explanation = typeof message === 'string' ? message : 'The gateway returned an invalid response.';
    return {
      error: { code: typeof code === 'number' ? code : null, message: explanation },
      text: indentJson(whole),
      content: {},
    };
  }
  const { content, structuredContent } = objectOf(result);
  // the text block is the same JSON, with numbers exactly as the service wrote them
  const written: unknown = Array.isArray(content) ? objectOf(content[0]).text : undefined;
  return { error: null, text: indentJson(typeof written === 'string' ? written : whole), content: objectOf(structuredContent) };
}
