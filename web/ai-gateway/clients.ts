/** How the key gets to the gateway: by the client in a header, or by the model as an argument of each call. */
export type KeyWay = 'header' | 'argument';

export interface Client {
  readonly id: string;
  readonly label: string;
  readonly where: string; // what to do with the text
  readonly write: (url: string, way: KeyWay) => string;
}

const KEY = '<API_KEY>';

export const clients: readonly [Client, ...Client[]] = [
  {
    id: 'claude-code',
    label: 'Claude Code',
    where: 'Run it in a terminal.',
    write: (url, way) =>
      ['claude mcp add --transport http sluice', url, ...(way === 'header' ? [`--header "X-API-Key: ${KEY}"`] : [])].join(' '),
  },
  {
    id: 'claude-desktop',
    label: 'Claude Desktop',
    where: 'Put it into claude_desktop_config.json (Settings → Developer), then restart. It needs Node.js.',
    write: (url, way) => {
      const args = ['-y', 'mcp-remote', url, '--transport', 'http-only', ...(isOpenHttp(url) ? ['--allow-http'] : [])];
      return json({
        mcpServers: {
          sluice:
            way === 'header'
              ? // no space behind the colon: the program is started by a shell on some systems
                {
                  command: 'npx',
                  args: [...args, '--header', `X-API-Key:${filledIn('SLUICE_API_KEY')}`],
                  env: { SLUICE_API_KEY: KEY },
                }
              : { command: 'npx', args },
        },
      });
    },
  },
  {
    id: 'cursor',
    label: 'Cursor',
    where: 'Put it into ~/.cursor/mcp.json, or .cursor/mcp.json of a project.',
    write: (url, way) => json({ mcpServers: { sluice: { url, ...headers(way, KEY) } } }),
  },
  {
    id: 'vs-code',
    label: 'VS Code',
    where: 'Put it into .vscode/mcp.json.',
    write: (url, way) =>
      json({
        // it asks for the key once and keeps it
        ...(way === 'header'
          ? { inputs: [{ type: 'promptString', id: 'sluice-key', description: 'Sluice API key', password: true }] }
          : {}),
        servers: { sluice: { type: 'http', url, ...headers(way, filledIn('input:sluice-key')) } },
      }),
  },
  {
    id: 'inspector',
    label: 'Inspector',
    where: 'Run it in a terminal. In its page: transport Streamable HTTP, and X-API-Key under Custom headers.',
    write: (url, way) =>
      [
        `npx @modelcontextprotocol/inspector --cli ${url} --transport http`,
        ...(way === 'header' ? [`--header "X-API-Key: ${KEY}"`] : []),
        '--method tools/list',
      ].join(' \\\n  '),
  },
];

const headers = (way: KeyWay, key: string) => (way === 'header' ? { headers: { 'X-API-Key': key } } : {});

/** What the client itself replaces. */
const filledIn = (name: string): string => `\${${name}}`;

const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** mcp-remote takes plain http to another machine only when told so. */
function isOpenHttp(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}
