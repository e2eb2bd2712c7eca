import { z } from 'zod';
import type { Principal } from '../../access/principal.ts';
import { failed, mapResult, succeeded, type Result } from '../../core/errors.ts';
import type { Call } from '../../pipeline/call.ts';
import type { RunnableQuery } from '../../pipeline/find-query.ts';
import type { QueryAnswer } from '../../pipeline/use-cases/browse.ts';
import { nameSchemas } from '../http/operation.ts';
import { rpcErrorOf } from '../mcp/explain-to-model.ts';
import { errorText, type Params } from '../mcp/json-rpc.ts';
import { MCP_PATH } from '../mcp/mcp-routes.ts';
import { featuresOf } from '../mcp/protocol.ts';
import { describeTools, toolsFor, tools } from '../mcp/tool-list.ts';
import { toolResult } from '../mcp/tool-result.ts';
import type { ToolParts } from '../mcp/tool.ts';
import { filterText } from './list-query.ts';
import { encodedJson, type ManagementRoute, routesOf } from './management-route.ts';

const schema = z.record(z.string(), z.unknown());
const tool = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  inputSchema: schema,
  outputSchema: schema,
  annotations: z.record(z.string(), z.union([z.string(), z.boolean()])),
  _meta: schema.optional().describe('The MCP App that shows its results, and how long they are.'),
});
const response = z.object({
  enabled: z.boolean().describe('Whether the gateway is enabled.'),
  url: z.string().describe('The URL for clients.'),
  tools: z.array(tool).readonly(),
  answers: z
    .array(
      z.object({
        queryName: z.string(),
        name: z.string(),
        bytes: z.number().int().describe('Of the rows, as JSON.'),
        tokens: z.number().int().describe('About how many a model reads.'),
      }),
    )
    .readonly()
    .describe('How large the last response to an assistant was that asked for no number of rows, the largest 200 first.'),
});

nameSchemas({ McpTools: response });

const route = routesOf({ tag: 'MCP', keys: 'whole' });

export interface ToolRouteParts {
  readonly enabled: boolean;
  readonly baseUrl: () => string;
  /** The named queries that the principal may run over MCP. */
  readonly typedQueries: (principal: Principal, names: readonly string[]) => Promise<readonly RunnableQuery[]>;
  /** How much of each query an assistant gets by default, the largest first. */
  readonly listAnswers: (principal: Principal) => Promise<readonly QueryAnswer[]>;
  readonly tryTool: TryTool;
}

/** The gateway and its tools for the web interface, as listed for clients without a key in a header. */
export function toolRoutes({ enabled, baseUrl, typedQueries, listAnswers, tryTool }: ToolRouteParts): readonly ManagementRoute[] {
  return [
    route('GET', '/mcp/tools', 'The MCP gateway and its tools', {
      id: 'listMcpTools',
      query: z.object({
        queries: filterText
          .optional()
          .describe('Technical names, separated by commas: the tools of a key that has one for each of these queries.'),
      }),
      response,
      handle: async ({ principal, query: { queries } }) => {
        const names = queries?.split(',').map((each) => each.trim());
        const tools =
          names === undefined ? describeTools(true) : describeTools(false, toolsFor(await typedQueries(principal, names)));
        return succeeded({ enabled, url: `${baseUrl()}${MCP_PATH}`, tools, answers: await listAnswers(principal) });
      },
    }),
    // audited by the tool, like a call of an assistant
    route('POST', '/mcp/tools/:name/call', 'Try a tool with your own rights', {
      id: 'tryMcpTool',
      params: z.object({ name: z.string().max(100).describe('The name of the tool.') }),
      body: schema.describe('The arguments of the tool, without a key.'),
      response: schema.describe('The JSON-RPC response that an assistant would get.'),
      keys: 'none',
      handle: async ({ params, body, call }) => {
        if (!enabled) return failed({ kind: 'NotFound', what: 'gateway: it is not enabled' });
        return mapResult(await tryTool(params.name, call, body), encodedJson);
      },
    }),
  ];
}

/** Calls a tool with the credential of a call, and returns the JSON-RPC response that an assistant would get. */
type TryTool = (name: string, call: Call, sent: Params) => Promise<Result<string>>;

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

/** A client that shows links; errors are JSON-RPC errors, which the page explains. */
const protocolVersion = featuresOf('2025-06-18');
