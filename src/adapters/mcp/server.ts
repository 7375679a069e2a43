import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import type { Logger } from "pino";
import { z } from "zod";
import type { Catalog } from "../../board/operation.ts";
import { EVENT_CAPABILITIES } from "../../domain/events/names.ts";
import type { Site } from "../../domain/site.ts";
import { once } from "../../platform/once.ts";
import { VERSION } from "../../platform/version.ts";
import type { Credentials, Dispatcher } from "../calls/dispatcher.ts";
import { understoodArguments } from "./arguments.ts";
import { callTool, type Door } from "./calls.ts";
import { elicited } from "./elicitation.ts";
import { serveEvents } from "./events/index.ts";
import { promptsOf } from "./prompts.ts";
import { resourcesOf } from "./resources.ts";
import { servedTools } from "./tool-list.ts";

/** The MCP server is built from these. */
export interface McpParts {
  catalog: Catalog;
  /** A promise stands here while the board still opens: lists are answered meanwhile, calls wait for it. */
  dispatcher: Dispatcher | Promise<Dispatcher>;
  site: Site;
  logger: Logger;
  clock: () => number;
}

/** The server has this name, in handshakes and in its card. */
export const SERVER = { name: "agent-board", title: "Agent Board", version: VERSION } as const;

/** Lists change only with the program, so clients may cache them for a while. */
const LISTS_KEPT = { ttlMs: 300_000, cacheScope: "public" } as const;
const OPTIONS = {
  cacheHints: {
    "tools/list": LISTS_KEPT,
    "resources/list": LISTS_KEPT,
    "resources/templates/list": LISTS_KEPT,
    "prompts/list": LISTS_KEPT,
    "server/discover": LISTS_KEPT,
    "resources/read": { ttlMs: 10_000, cacheScope: "public" },
  },
} as const;

/**
 * Prepares everything that servers answer from, once. The returned function makes a server for one request or one
 * connection, which takes some microseconds; `stream` says whether it can carry a stream of events.
 *
 * The low-level `Server` is a deliberate choice. It lets `tools/list` be computed once, and only the board parses the
 * arguments, so a wrong argument gets the same answer over MCP and REST.
 */
export function mcpServers(
  parts: McpParts,
  door: Door,
): (credentials: Credentials, can?: { stream: boolean }) => Server {
  const catalog = door.surface === "tools" ? parts.catalog : readingOnly(parts.catalog);
  const tools = servedTools(catalog);
  const open = { ...door, tools: [...tools.keys()] };
  const listed = once(() =>
    [...tools.values()].map((tool) =>
      door.answers === "data" ? { ...tool.listed(), outputSchema: tool.outputSchema() } : tool.listed(),
    ),
  );
  const prompts = promptsOf(door.surface, parts.site, door.signedIn);
  const options = { ...OPTIONS, instructions: prompts.instructions };
  const resources = resourcesOf({ ...parts, catalog }, open, tools);
  // Each subscription is kept, so whoever may only read has none.
  const hasEvents = door.surface === "tools";
  const capabilities = { tools: {}, resources: {}, prompts: {}, ...(hasEvents ? EVENT_CAPABILITIES : {}) };
  return (credentials, { stream } = { stream: true }) => {
    const caller = { ...credentials, surface: door.surface };
    const server = new Server(
      { ...SERVER, title: parts.site.identity.name, ...iconsOf(parts.site) },
      { ...options, capabilities },
    );
    server.setRequestHandler("tools/list", { params: List }, () => ({ tools: listed() }));
    server.setRequestHandler("tools/call", async ({ params }, context) => {
      const tool = tools.get(params.name);
      if (tool === undefined) {
        const names = open.tools.join(", ");
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool. This server has: ${names}.`);
      }
      // Over stdio the client hangs up by cancelling its request.
      const line = caller.line ?? { closed: context.mcpReq.signal, rest() {} };
      const understood = understoodArguments(tool, params.arguments ?? {});
      const hasKey = caller.apiKey !== null || caller.signedIn !== undefined || understood.apiKey !== null;
      const asked = elicited(server, tool, understood, context, { site: parts.site, hasKey });
      if ("ask" in asked) return asked.ask;
      const done = tellProgress(context, understood.input["wait_s"]);
      return callTool(parts, open, tool, asked.understood, { ...caller, line }).finally(done);
    });
    server.setRequestHandler("resources/list", { params: List }, () => ({ resources: resources.listed }));
    server.setRequestHandler("resources/templates/list", { params: List }, () => ({
      resourceTemplates: resources.templates,
    }));
    server.setRequestHandler("resources/read", { params: ResourceAsked }, ({ uri }) =>
      resources.read(uri, caller),
    );
    if (hasEvents) serveEvents(server, parts, caller, stream);
    server.setRequestHandler("prompts/list", { params: List }, () => ({ prompts: prompts.listed }));
    server.setRequestHandler("prompts/get", { params: PromptAsked }, (params) =>
      prompts.filled(params.name, params.arguments ?? {}),
    );
    return server;
  };
}

/** Hosts give a call up that says nothing for a minute, or for less. */
const PROGRESS_MS = 10_000;

/**
 * Tells a caller that asked for it, every ten seconds, that its call still waits.
 * @param waitS  for how long it waits at most, as it was sent
 * @returns ends it
 */
function tellProgress({ mcpReq: { _meta, notify } }: ServerContext, waitS: unknown): () => void {
  const { progressToken } = _meta ?? {};
  if (progressToken === undefined) return () => {};
  const total = Number(waitS);
  let progress = 0;
  const timer = setInterval(() => {
    progress += PROGRESS_MS / 1000;
    const params = { progressToken, progress, ...(total > 0 ? { total } : {}), message: "Still waiting." };
    // A host that is gone has its call cancelled.
    notify({ method: "notifications/progress", params }).catch(() => {});
  }, PROGRESS_MS);
  return () => clearInterval(timer);
}

// The SDK answers what breaks its own schemas as an internal error; what breaks these is -32602, with these words.
const List = z.looseObject({
  cursor: z
    .string("`cursor` must be text.")
    .max(0, "This list has one page and gives out no cursor: leave `cursor` out.")
    .optional(),
});
const NAMES_RESOURCE = "`uri` must be text: one from resources/list.";
const ResourceAsked = z.looseObject({ uri: z.string(NAMES_RESOURCE) }, NAMES_RESOURCE);
const NAMES_PROMPT = "`name` must be text: one from prompts/list.";
const ARGUMENT = 'Every argument must be text, such as {"what": "road bike"}.';
const PromptAsked = z.looseObject(
  { name: z.string(NAMES_PROMPT), arguments: z.record(z.string(), z.string(ARGUMENT), ARGUMENT).optional() },
  NAMES_PROMPT,
);

const readingOnly = ({ tools, operations }: Catalog): Catalog => ({
  tools: tools.filter(({ effect }) => effect === "reads"),
  operations: operations.filter(({ effect }) => effect === "reads"),
});

/** These revisions are spoken, the one without a handshake first. The SDK negotiates that, but does not list it as supported. */
export const REVISIONS = ["2026-07-28", ...SUPPORTED_PROTOCOL_VERSIONS];

/** Shows the board's picture, where something serves it. */
export const iconsOf = ({ isServed, root }: Site) =>
  isServed
    ? { icons: [{ src: `${root}/apple-touch-icon.png`, mimeType: "image/png", sizes: ["180x180"] }] }
    : {};
