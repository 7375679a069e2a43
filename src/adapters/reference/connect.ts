import type { Site } from "../../domain/site.ts";

/** Clients have the tool server under this name. */
const SERVER = "board";
/** Stands in for the key in snippets; readers put in their own. */
const KEY = "bbk_…";

/** An agent reaches the board in this way. */
export interface Way {
  id: string;
  name: string;
  /** Says what to do with the snippet. */
  how: string;
  snippet: string;
  /** Has a key, for clients that can send one. */
  withKey?: string;
  /** Opens the client, which offers to add the server. */
  install?: { label: string; url: string };
}

/**
 * Tells how each client is connected to the board at this address. README, the front page and `/docs` print these texts and no
 * others: every client nests its configuration differently, and a wrong nesting fails silently.
 */
export function waysToConnect(site: Site, key: string = KEY): readonly Way[] {
  const cursor = { url: site.mcp };
  const vscode = { type: "http", url: site.mcp };
  const authorization = { Authorization: `Bearer ${key}` };
  return [
    {
      id: "claude-code",
      name: "Claude Code",
      how: "Run in a terminal.",
      snippet: claudeCodeCommand(site),
      withKey: `${claudeCodeCommand(site)} --header "Authorization: Bearer ${key}"`,
    },
    {
      id: "claude-desktop",
      name: "Claude Desktop",
      how: "Settings, Connectors, Add custom connector, and paste the address. To send a key with every call, put the program's own relay into claude_desktop_config.json instead (Settings, Developer); <clone> is the folder in which you built it.",
      snippet: site.mcp,
      withKey: pretty(desktopConfig(["stdio", "--url", site.root], { BOARD_API_KEY: key })),
    },
    {
      id: "cursor",
      name: "Cursor",
      how: "Use the link, or put this into ~/.cursor/mcp.json.",
      snippet: pretty({ mcpServers: { [SERVER]: cursor } }),
      withKey: pretty({ mcpServers: { [SERVER]: { ...cursor, headers: authorization } } }),
      install: { label: "Add to Cursor", url: cursorLink(cursor) },
    },
    {
      id: "vscode",
      name: "VS Code",
      how: "Use the link, or put this into .vscode/mcp.json.",
      snippet: pretty({ servers: { [SERVER]: vscode } }),
      withKey: pretty({ servers: { [SERVER]: { ...vscode, headers: authorization } } }),
      install: { label: "Add to VS Code", url: vscodeLink(vscode) },
    },
    {
      id: "mcp",
      name: "Any MCP client",
      how: "Streamable HTTP, no session; /mcp/readonly has only the tools that read, /mcp/data adds typed data for hosts that run code over answers. Hosts that take MCP Events are told of matches and replies. The key goes into the header Authorization: Bearer, or into the argument api_key of a tool.",
      snippet: site.mcp,
    },
    ...(site.me === null ? [] : [signedIn(site.me)]),
    {
      id: "curl",
      name: "curl and any HTTP client",
      how: "REST needs nothing but HTTP and JSON.",
      snippet: `curl '${site.api}/search?q=road+bike&limit=3'`,
    },
  ];
}

const signedIn = (me: string): Way => ({
  id: "sign-in",
  name: "Hosts that take an address alone",
  how: "Web assistants cannot keep a key. Add this address instead: the host opens a page of the board, where you choose as whom it posts. ChatGPT can then watch the board by MCP Events. Sign it out on /join.",
  snippet: me,
});

export const claudeCodeCommand = (site: Site) => `claude mcp add --transport http ${SERVER} ${site.mcp}`;

/**
 * Writes `claude_desktop_config.json`. Claude Desktop starts only local programs: for a remote board, one that relays to
 * it; for one on the same machine, the board itself without a listener.
 */
export function desktopConfig(args: readonly string[], env: Readonly<Record<string, string>>) {
  // No npx: it would hand the key to any package that takes the name on a registry first.
  return {
    mcpServers: { [SERVER]: { command: "node", args: ["<clone>/dist/src/main.js", ...args], env } },
  };
}

/** Cursor takes the server's JSON in base64, percent-encoded because of `+`, `/` and `=`. */
function cursorLink(server: object): string {
  const config = Buffer.from(JSON.stringify(server)).toString("base64");
  return `https://cursor.com/install-mcp?${new URLSearchParams({ name: SERVER, config })}`;
}

/** VS Code takes the server's JSON in an address that is itself a parameter, so it is percent-encoded twice. */
function vscodeLink(server: object): string {
  const json = JSON.stringify({ name: SERVER, ...server });
  const install = `vscode:mcp/install?${encodeURIComponent(json)}`;
  return `https://vscode.dev/redirect?url=${encodeURIComponent(install)}`;
}

const pretty = (value: unknown) => JSON.stringify(value, null, 2);
