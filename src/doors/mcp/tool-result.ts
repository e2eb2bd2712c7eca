import type { MessageId } from './json-rpc.ts';
import type { ToolResponse } from './tool.ts';

/**
 * The whole answer to a tools/call as bytes: the text block and the structured content are the same JSON, once escaped and once as it is,
 * so nothing is parsed or written twice. `withLinks` false: for clients older than resource links.
 */
export function toolResult(id: MessageId, { json, links = [] }: ToolResponse, withLinks: boolean): Buffer {
  const blocks = withLinks ? links.map((link) => `,${JSON.stringify(link)}`).join('') : '';
  const middle = Buffer.from(`"}${blocks}],"structuredContent":`);
  const tail = Buffer.from(`,"isError":false},"id":${JSON.stringify(id)}}`);
  const most = head.length + json.length * 2 + middle.length + json.length + tail.length;
  // room for the worst case costs nothing: what is not written is never touched; small ones come out of Node's pool
  const out = most < 4096 ? Buffer.allocUnsafe(most) : Buffer.allocUnsafeSlow(most);
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
const firstPlain = 32; // below it are control characters

/** Whether a byte needs a look inside a JSON string: a table beats comparisons here. */
const special = new Uint8Array(256)
  .fill(1, 0, firstPlain)
  .fill(1, 34, 35)
  .fill(1, backslash, backslash + 1);

/** JSON as the inside of a JSON string; below zero where it holds a control character, which needs more room. */
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

/** For the white space of nested documents. Byte for byte: Latin-1 here only means that none is decoded. */
const escapedSlowly = (json: Buffer): Buffer => Buffer.from(JSON.stringify(json.toString('latin1')).slice(1, -1), 'latin1');
