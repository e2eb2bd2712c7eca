import { failed, type Result, succeeded } from '../../core/errors.ts';
import type { Call } from '../../pipeline/call.ts';
import { rpcErrorOf } from './explain-to-model.ts';
import { errorText, type Params } from './json-rpc.ts';
import type { ProtocolVersion } from './protocol-version.ts';
import { tools } from './tool-list.ts';
import { toolResult } from './tool-result.ts';
import type { ToolParts } from './tool.ts';

/** Calls a tool with the credential of a call, and returns the JSON-RPC response that an assistant would get. */
export type TryTool = (name: string, call: Call, sent: Params) => Promise<Result<string>>;

export const createTryTool =
  (parts: ToolParts): TryTool =>
  async (name, call, sent) => {
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined) return failed({ kind: 'NotFound', what: 'tool with this name' });
    const response = await tool.call(parts, { ...call, channel: 'mcp', action: tool.name }, sent);
    return succeeded(
      response.ok
        ? toolResult(ID, response.value, protocolVersion).toString()
        : errorText(ID, rpcErrorOf(response.failure, call.requestId)),
    );
  };

const ID = 1;

/** The features of a client that shows links; errors are JSON-RPC errors, which the page explains. */
const protocolVersion: ProtocolVersion = {
  isStateless: false,
  hasBatches: false,
  hasResourceLinks: true,
  hasToolErrors: false,
  hasCancelNotifications: false,
};
