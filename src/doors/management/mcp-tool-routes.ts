import { z } from 'zod';
import { succeeded } from '../../errors.ts';
import { nameSchemas } from '../http/operation.ts';
import { MCP_PATH } from '../mcp/mcp-routes.ts';
import { listedTools } from '../mcp/tool-list.ts';
import { type ManagementRoute, routesOf } from './management-route.ts';

const schema = z.record(z.string(), z.unknown());
const tool = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  inputSchema: schema,
  outputSchema: schema,
  annotations: z.record(z.string(), z.union([z.string(), z.boolean()])),
});
const response = z.object({
  enabled: z.boolean().describe('Whether the gateway is enabled.'),
  url: z.string().describe('The URL for clients.'),
  tools: z.array(tool).readonly(),
});

nameSchemas({ McpTools: response });

const route = routesOf({ tag: 'MCP', keys: 'whole' });

/** The gateway and its tools for the web interface, as listed for clients without a key in a header. */
export function toolRoutes({ enabled, baseUrl }: { enabled: boolean; baseUrl: () => string }): readonly ManagementRoute[] {
  return [
    route('GET', '/mcp/tools', 'The MCP gateway and its tools', {
      id: 'listMcpTools',
      response,
      handle: async () => {
        const tools = listedTools(true).map((each) => ({
          ...each,
          inputSchema: { ...each.inputSchema },
          outputSchema: { ...each.outputSchema },
        }));
        return succeeded({ enabled, url: `${baseUrl()}${MCP_PATH}`, tools });
      },
    }),
  ];
}
