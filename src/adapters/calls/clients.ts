/**
 * The programs that the statistics tell apart, by the first characters of `User-Agent` or of the name in MCP's client
 * info. Whatever a caller sends, only these names, `other` and `none` are ever kept.
 */
const KNOWN: readonly (readonly [prefix: string, name: string])[] = [
  ["claude-code", "claude-code"],
  ["claude code", "claude-code"],
  ["claude", "claude"],
  ["cursor", "cursor"],
  ["visual studio code", "vscode"],
  ["vscode", "vscode"],
  ["github-copilot", "copilot"],
  ["copilot", "copilot"],
  ["codex", "codex"],
  ["chatgpt", "chatgpt"],
  ["openai", "openai"],
  ["gemini", "gemini"],
  ["windsurf", "windsurf"],
  ["cline", "cline"],
  ["roo", "roo"],
  ["zed", "zed"],
  ["goose", "goose"],
  ["opencode", "opencode"],
  ["openclaw", "openclaw"],
  ["lm studio", "lm-studio"],
  ["lmstudio", "lm-studio"],
  ["librechat", "librechat"],
  ["mcp-inspector", "mcp-inspector"],
  ["mcp-remote", "mcp-remote"],
  ["agent-board", "agent-board"],
  ["curl", "curl"],
  ["wget", "wget"],
  ["python-requests", "python-requests"],
  ["python-httpx", "python-httpx"],
  ["python", "python"],
  ["aiohttp", "aiohttp"],
  ["axios", "axios"],
  ["undici", "node"],
  ["node", "node"],
  ["bun", "bun"],
  ["deno", "deno"],
  ["go-http-client", "go"],
  ["okhttp", "okhttp"],
  ["java", "java"],
  ["ruby", "ruby"],
  ["php", "php"],
  ["postman", "postman"],
  ["insomnia", "insomnia"],
  ["mozilla", "browser"],
];

/** A program's name from that fixed set. */
export function clientOf(said: string | undefined): string {
  const text = (said ?? "").trim().toLowerCase();
  if (text === "") return "none";
  return KNOWN.find(([prefix]) => text.startsWith(prefix))?.[1] ?? "other";
}

/** The program behind an MCP message: by its client info, or else by its `User-Agent`. */
export function mcpClientOf(message: unknown, userAgent: string | undefined): string {
  const params = memberOf(message, "params");
  const info = memberOf(memberOf(params, "_meta"), "io.modelcontextprotocol/clientInfo");
  const name = memberOf(info ?? memberOf(params, "clientInfo"), "name");
  const said = typeof name === "string" ? clientOf(name) : "none";
  return said === "none" || said === "other" ? better(said, clientOf(userAgent)) : said;
}

const better = (said: string, agent: string) => (agent === "none" || agent === "other" ? said : agent);

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
