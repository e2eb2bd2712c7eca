import type { MessageId } from './json-rpc.ts';
import type { ToolResponse } from './tool.ts';

/**
 * The complete response of a tools/call as bytes. The text block and the structured content are the same JSON, escaped once, so
 * nothing is parsed or encoded twice. `withLinks` is false for clients older than resource links.
 */
export function toolResult(id: MessageId, { json, links = [] }: ToolResponse, withLinks: boolean): Buffer {
  const blocks = withLinks ? links.map((link) => `,${JSON.stringify(link)}`).join('') : '';
  const middle = Buffer.from(`"}${blocks}],"structuredContent":`);
  const tail = Buffer.from(`,"isError":false},"id":${JSON.stringify(id)}}`);
  const max = head.length + json.length * 2 + middle.length + json.length + tail.length;
  // allocating for the worst case is cheap because unused pages are never touched; small buffers come from Node's pool
  const out = max < 4096 ? Buffer.allocUnsafe(max) : Buffer.allocUnsafeSlow(max);
  head.copy(out);
  let at = escapeInto(out, head.length, json);
  if (at < 0) return Buffer.concat([head, escapedSlowly(json), middle, json, tail]);
  at += middle.copy(out, at);
  at += json.copy(out, at);
  at += tail.copy(out, at);
  return out.subarray(0, at);
}

const head = Buffer.from('{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"');
const backslash = 92;
const firstPlain = 32; // the first character that is not a control character

/** Bytes that need escaping within a JSON string; a table is faster than comparisons here. */
const special = new Uint8Array(256)
  .fill(1, 0, firstPlain)
  .fill(1, 34, 35)
  .fill(1, backslash, backslash + 1);

/**
 * Escapes JSON for use within a JSON string; returns a negative number if it contains a control character, which needs more
 * space.
 */
function escapeInto(out: Uint8Array, start: number, json: Uint8Array): number {
  const { length } = json;
  let at = start;
  for (let i = 0; i < length; i++) {
    const byte = json[i] ?? 0;
    if (special[byte] !== 0) {
      if (byte < firstPlain) return -1;
      out[at++] = backslash;
    }
    out[at++] = byte;
  }
  return at;
}

/** For whitespace in nested documents. Latin-1 keeps the bytes as they are. */
const escapedSlowly = (json: Buffer): Buffer => Buffer.from(JSON.stringify(json.toString('latin1')).slice(1, -1), 'latin1');
