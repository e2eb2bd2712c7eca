import type { MessageId } from './json-rpc.ts';
import type { ToolResponse } from './tool.ts';

/**
 * The complete response of a tools/call as bytes. The text block and the structured content are the same JSON, so that no row is
 * parsed or encoded again. `withLinks` is false for clients older than resource links.
 */
export function toolResult(id: MessageId, { json, links = [] }: ToolResponse, withLinks: boolean): Buffer {
  const blocks = withLinks ? links.map((link) => `,${JSON.stringify(link)}`).join('') : '';
  const middle = Buffer.from(`"}${blocks}],"structuredContent":`);
  const tail = Buffer.from(`,"isError":false},"id":${JSON.stringify(id)}}`);
  return Buffer.concat([head, escaped(json), middle, json, tail]);
}

const head = Buffer.from('{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"');

/** JSON for use within a JSON string. Latin-1 keeps the bytes as they are. */
const escaped = (json: Buffer): Buffer => Buffer.from(JSON.stringify(json.toString('latin1')).slice(1, -1), 'latin1');
