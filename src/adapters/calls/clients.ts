/**
 * The programs that the statistics tell apart, by the first characters of `User-Agent` or of the name in MCP's client
 * info. Whatever a caller sends, only these names, `other` and `none` are ever kept. A name comes before its beginnings.
 */
const PROGRAMS =
  "claude-code claude cursor vscode copilot codex chatgpt openai gemini windsurf cline roo zed goose opencode openclaw " +
  "lm-studio librechat mcp-inspector mcp-remote agent-board curl wget python-requests python-httpx python aiohttp axios " +
  "node bun deno okhttp java ruby php postman insomnia";

/** Those that call themselves otherwise. */
const OTHERS: readonly (readonly [prefix: string, name: string])[] = [
  ["claude code", "claude-code"],
  ["visual studio code", "vscode"],
  ["github-copilot", "copilot"],
  ["lm studio", "lm-studio"],
  ["lmstudio", "lm-studio"],
  ["undici", "node"],
  ["go-http-client", "go"],
  ["mozilla", "browser"],
];

const KNOWN = [...OTHERS, ...PROGRAMS.split(" ").map((name) => [name, name] as const)];

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
