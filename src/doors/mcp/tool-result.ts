import { type Result, succeeded } from '../../core/errors.ts';
import { ByteWriter, freeBytes } from '../../results/byte-writer.ts';
import { writeEscaped } from '../../results/json-text.ts';
import type { MessageId, RpcError } from './json-rpc.ts';
import { serverMeta, type ProtocolVersion } from './protocol.ts';
import type { ToolResponse } from './tool.ts';

/** The JSON-RPC response to a request. */
export const encodeResult = (
  { id, protocolVersion }: { readonly id: MessageId; readonly protocolVersion: ProtocolVersion },
  result: MethodResult,
): Result<string> => succeeded(JSON.stringify({ jsonrpc: '2.0', result: completeResult(result, protocolVersion), id }));

export type MethodResult = Readonly<Record<string, unknown>> & { readonly _meta?: object };

/** The result with the fields of the stateless version. */
export const completeResult = (result: MethodResult, { isStateless }: ProtocolVersion): object =>
  isStateless ? { resultType: 'complete', ...result, _meta: { ...serverMeta(), ...result._meta } } : result;

/**
 * The complete response of a tools/call, as bytes if its JSON is. The text block and the structured content are the same JSON, so
 * that no row is parsed or encoded again. Bytes are freed: nothing else uses them.
 */
export function toolResult(
  id: MessageId,
  { json, links = [], image, meta }: ToolResponse,
  protocolVersion: ProtocolVersion,
  task?: object, // whose result it is
): string | Buffer {
  const linkBlocks = protocolVersion.hasResourceLinks ? links.map((link) => `,${JSON.stringify(link)}`).join('') : '';
  const blocks = image === undefined ? linkBlocks : `,${JSON.stringify(image)}${linkBlocks}`;
  const taskHead = task === undefined ? '' : `{"resultType":"complete",${JSON.stringify(task).slice(1, -1)},"result":`;
  const start = `${head}${taskHead}{${protocolVersion.isStateless ? RESULT_TYPE : ''}${text}`;
  const middle = `}${blocks}],"structuredContent":`;
  const taskTail = task === undefined ? '' : `${statelessTail}}`;
  const tail = `,"isError":false${metaText(meta, protocolVersion)}}${taskTail},"id":${JSON.stringify(id)}}`;
  if (typeof json === 'string') return `${start}${JSON.stringify(json)}${middle}${json}${tail}`;
  const out = new ByteWriter(Math.ceil((1 + QUOTED) * json.length) + start.length + middle.length + tail.length);
  out.utf8(`${start}"`);
  writeEscaped(out, json);
  out.utf8(`"${middle}`);
  out.copy(json);
  out.utf8(tail);
  freeBytes(json);
  return out.view();
}

/** An error as the result of the tool: clients show it to the model, which can then correct its call. */
export const toolErrorResult = ({ code, message, data }: RpcError) => ({
  content: [{ type: 'text', text: message }],
  isError: true,
  _meta: { 'sluice/error': { code, reason: data.reason, requestId: data.requestId } },
});

const QUOTED = 1.3; // length of JSON as a JSON string, mostly
const text = '"content":[{"type":"text","text":';
const head = '{"jsonrpc":"2.0","result":';
const RESULT_TYPE = '"resultType":"complete",';
const statelessTail = `,"_meta":${JSON.stringify(serverMeta())}`;

function metaText(meta: ToolResponse['meta'], protocolVersion: ProtocolVersion): string {
  if (meta === undefined) return protocolVersion.isStateless ? statelessTail : '';
  return `,"_meta":${JSON.stringify(protocolVersion.isStateless ? { ...meta, ...serverMeta() } : meta)}`;
}
