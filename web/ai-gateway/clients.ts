import { keyFromVariable } from '../components/copy/curl.ts';
import { KEY_VARIABLE } from '../components/copy/key-variable.ts';

/** How the key is sent: by the client in a header, or by the model as an argument of each call. */
export type KeyWay = 'header' | 'argument';

export interface Client {
  readonly id: string;
  readonly label: string;
  readonly instructions: string;
  readonly resultNote: string; // how the client shows results
  readonly write: (url: string, way: KeyWay) => string;
}

export const clients: readonly [Client, ...Client[]] = [
  {
    id: 'claude-code',
    label: 'Claude Code',
    instructions: 'Run this in a terminal.',
    resultNote: 'Asks for missing parameters from version 2.1.232 on. A terminal shows no charts.',
    write: (url, way) =>
      [
        'claude mcp add --transport http sluice',
        url,
        ...(way === 'header' ? [`--header "X-API-Key: ${keyFromVariable}"`] : []),
      ].join(' '),
  },
  {
    id: 'claude-desktop',
    label: 'Claude Desktop',
    instructions: 'Add this to claude_desktop_config.json (Settings → Developer), then restart. Requires Node.js.',
    resultNote: 'Shows charts as an interactive app in the conversation.',
    write: (url, way) => {
      const args = ['-y', 'mcp-remote', url, '--transport', 'http-only', ...(isOpenHttp(url) ? ['--allow-http'] : [])];
      return json({
        mcpServers: {
          sluice:
            way === 'header'
              ? // no space after the colon: some systems start the program through a shell
                {
                  command: 'npx',
                  args: [...args, '--header', `X-API-Key:${toVariable(KEY_VARIABLE)}`],
                  env: { [KEY_VARIABLE]: '<API_KEY>' },
                }
              : { command: 'npx', args },
        },
      });
    },
  },
  {
    id: 'cursor',
    label: 'Cursor',
    instructions: 'Add this to ~/.cursor/mcp.json, or to .cursor/mcp.json in a project.',
    resultNote: 'Shows charts as an interactive app in the conversation.',
    write: (url, way) => json({ mcpServers: { sluice: { url, ...headers(way, toVariable(`env:${KEY_VARIABLE}`)) } } }),
  },
  {
    id: 'vs-code',
    label: 'VS Code',
    instructions: 'Add this to .vscode/mcp.json.',
    resultNote: 'Shows charts as an interactive app in the conversation.',
    write: (url, way) =>
      json({
        // VS Code asks for the key once and stores it
        ...(way === 'header'
          ? { inputs: [{ type: 'promptString', id: 'sluice-key', description: 'Sluice API key', password: true }] }
          : {}),
        servers: { sluice: { type: 'http', url, ...headers(way, toVariable('input:sluice-key')) } },
      }),
  },
  {
    id: 'codex',
    label: 'Codex',
    instructions: 'Add this to ~/.codex/config.toml.',
    resultNote: 'A terminal shows no charts.',
    write: (url, way) =>
      [
        '[mcp_servers.sluice]',
        `url = "${url}"`,
        ...(way === 'header' ? [`env_http_headers = { "X-API-Key" = "${KEY_VARIABLE}" }`] : []),
      ].join('\n'),
  },
  {
    id: 'gemini-cli',
    label: 'Gemini CLI',
    instructions: 'Add this to ~/.gemini/settings.json, or to .gemini/settings.json in a project.',
    resultNote: 'A terminal shows no charts.',
    write: (url, way) => json({ mcpServers: { sluice: { httpUrl: url, ...headers(way, keyFromVariable) } } }),
  },
  {
    id: 'inspector',
    label: 'Inspector',
    instructions:
      'Run this in a terminal. In the Inspector, choose the transport Streamable HTTP and add X-API-Key under Custom headers.',
    resultNote: 'Shows every message, for people who develop or examine MCP servers.',
    write: (url, way) =>
      [
        `npx @modelcontextprotocol/inspector --cli ${url} --transport http`,
        ...(way === 'header' ? [`--header "X-API-Key: ${keyFromVariable}"`] : []),
        '--method tools/list',
      ].join(' \\\n  '),
  },
];

const headers = (way: KeyWay, key: string) => (way === 'header' ? { headers: { 'X-API-Key': key } } : {});

/** A placeholder that the client replaces. */
const toVariable = (name: string): string => `\${${name}}`;

const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** mcp-remote requires a flag for plain http to another host. */
function isOpenHttp(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}
