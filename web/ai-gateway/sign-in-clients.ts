/** An application that signs people in. */
export interface SignInClient {
  readonly id: string;
  readonly label: string;
  readonly steps: string; // where to enter the address, or the text
  readonly write: (url: string) => string | null; // null: only the address is needed
}

const none = () => null;

/** In the order of docs/mcp-oauth.md, which says the same. */
export const signInClients: readonly [SignInClient, ...SignInClient[]] = [
  {
    id: 'claude',
    label: 'Claude',
    steps:
      'On the web or in the desktop application: Customize → Connectors → + → Add custom connector. Enter a name and the address, then choose Connect. In a company, an owner adds it for everybody first. Claude’s servers must reach the address.',
    write: none,
  },
  {
    id: 'claude-code',
    label: 'Claude Code',
    steps: 'Run this in a terminal, then /mcp in Claude Code, and choose Authenticate.',
    write: (url) => `claude mcp add --transport http sluice ${url}`,
  },
  {
    id: 'chatgpt',
    label: 'ChatGPT',
    steps:
      'Settings → Apps → Advanced settings → Developer mode, which an administrator of the workspace allows. Then Create: enter the address, and choose the authentication OAuth. ChatGPT’s servers must reach the address.',
    write: none,
  },
  {
    id: 'vs-code',
    label: 'VS Code',
    steps: 'Run the command MCP: Add Server, choose HTTP and enter the address. VS Code asks you to sign in at the first use.',
    write: none,
  },
  {
    id: 'cursor',
    label: 'Cursor',
    steps: 'Add this to ~/.cursor/mcp.json, then choose Needs login in the settings of Cursor.',
    write: (url) => JSON.stringify({ mcpServers: { sluice: { url } } }, null, 2),
  },
];
