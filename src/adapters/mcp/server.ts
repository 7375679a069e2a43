import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from "@modelcontextprotocol/server";
import type { Logger } from "pino";
import type { Site } from "../../domain/site.ts";
import { BoardError, type FailureCode } from "../../failures.ts";
import type { Catalog, Operation } from "../../operation.ts";
import type { Credentials, Dispatcher } from "../calls/dispatcher.ts";
import { manualText } from "../reference/manual.ts";
import { skillsOf } from "../reference/skills.ts";
import { filledPrompt, INSTRUCTIONS, LISTED_PROMPTS } from "./prompts.ts";
import { failedResult, toolResult } from "./results.ts";
import { DETAILS, type ServedTool, servedTools } from "./tool-list.ts";

/** What the MCP server is built from. */
export interface McpParts {
  catalog: Catalog;
  dispatcher: Dispatcher;
  site: Site;
  logger: Logger;
  clock: () => number;
}

/** The server's name, in handshakes and in its card. */
export const SERVER = { name: "agent-board", title: "Agent Board", version: "0.1.0" } as const;

/** Lists change only with the program, so clients may cache them for a while. */
const LISTS_KEPT = { ttlMs: 300_000, cacheScope: "public" } as const;
const OPTIONS = {
  capabilities: { tools: {}, resources: {}, prompts: {} },
  instructions: INSTRUCTIONS,
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
 * connection, which takes some microseconds.
 *
 * The low-level `Server` is a deliberate choice. It lets `tools/list` be computed once, and only the board parses the
 * arguments, so a wrong argument gets the same answer over MCP and REST.
 *
 * @param only  `reading` leaves out every tool that changes anything
 */
export function mcpServers(parts: McpParts, only: "all" | "reading"): (credentials: Credentials) => Server {
  const { catalog, site } = parts;
  const tools = servedTools(catalog.tools.filter(({ effect }) => only === "all" || effect === "reads"));
  const listed = { tools: [...tools.values()].map((tool) => tool.listed) };
  const resources = resourcesOf(parts, manualText(catalog, site));
  return (credentials) => {
    const server = new Server(SERVER, OPTIONS);
    server.setRequestHandler("tools/list", () => listed);
    server.setRequestHandler("tools/call", async ({ params }) => {
      const tool = tools.get(params.name);
      if (tool === undefined)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown tool. See tools/list.");
      return callTool(parts, tool, params.arguments ?? {}, credentials);
    });
    server.setRequestHandler("resources/list", () => ({
      resources: resources.map(({ read: _read, ...entry }) => entry),
    }));
    server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }));
    server.setRequestHandler("resources/read", async ({ params }) => {
      const resource = resources.find(({ uri }) => uri === params.uri);
      if (resource === undefined)
        throw new ResourceNotFoundError(params.uri, "No such resource. See resources/list.");
      const { uri, mimeType } = resource;
      return { contents: [{ uri, mimeType, text: await resource.read(credentials) }] };
    });
    server.setRequestHandler("prompts/list", () => ({ prompts: LISTED_PROMPTS }));
    server.setRequestHandler("prompts/get", ({ params }) => {
      const filled = filledPrompt(params.name, params.arguments ?? {});
      if (filled === null)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown prompt. See prompts/list.");
      if ("missing" in filled) {
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `The argument \`${filled.missing}\` is required.`,
        );
      }
      return filled;
    });
    return server;
  };
}

/** Calls a tool. Never throws: a failure is an answer, so the model can read it and act on it. */
async function callTool(
  parts: McpParts,
  tool: ServedTool,
  sent: Record<string, unknown>,
  credentials: Credentials,
): Promise<CallToolResult> {
  const { dispatcher, clock } = parts;
  const { operation } = tool;
  const { apiKey, detail: sentDetail, input } = argumentsOf(tool, sent);
  const { client } = credentials;
  const from = { ...credentials, apiKey: credentials.apiKey ?? apiKey };
  const label = { as: `tool:${operation.name}`, ...(client === undefined ? {} : { client }) };
  try {
    const admission = await dispatcher.admit(operation, from);
    // A missing key comes before a wrong argument, as over REST.
    if (admission.refusal !== null) throw admission.refusal;
    const detail = detailOf(tool, sentDetail);
    const source = operation.rest.method === "GET" ? "query" : "body";
    const performed = await dispatcher.perform(operation, admission, input, source, label);
    return toolResult({ tool, sent: input, detail, now: clock() }, performed);
  } catch (thrown) {
    const { error, reference } = dispatcher.fail(thrown, label);
    const isOutranked = apiKey !== null && apiKey !== from.apiKey;
    return failedResult(forAgents(error, isOutranked, parts.site), reference);
  }
}

/** Separates the operation's own arguments from `api_key` and `detail`, and drops those a model left null or "". */
function argumentsOf(tool: ServedTool, sent: Record<string, unknown>) {
  const given = Object.entries(sent).filter(([, value]) => value !== null && value !== "");
  const input = Object.fromEntries(given);
  const { api_key: apiKey, detail } = input;
  delete input["api_key"];
  if (tool.takesDetail) delete input["detail"];
  return { apiKey: typeof apiKey === "string" ? apiKey : null, detail, input };
}

function detailOf(tool: ServedTool, sent: unknown): (typeof DETAILS)[number] {
  if (!tool.takesDetail || sent === undefined) return "compact";
  const detail = DETAILS.find((each) => each === sent);
  if (detail !== undefined) return detail;
  const issues = [{ path: "detail", code: "invalid_value", message: `Must be ${DETAILS.join(" or ")}.` }];
  throw new BoardError("invalid_query", { issues });
}

/**
 * The same failure, with a hint for a caller that has tools and cannot set headers.
 * @param isOutranked  true when the caller sent a key as an argument, but another key in the header took precedence
 */
function forAgents(error: BoardError, isOutranked: boolean, site: Site): BoardError {
  const hint = hintFor(error.code, isOutranked, site);
  return hint === null ? error : new BoardError(error.code, { hint, issues: error.issues });
}

function hintFor(code: FailureCode, isOutranked: boolean, site: Site): string | null {
  switch (code) {
    case "missing_api_key":
      return "Register once with `register_publisher`. Then send the key as the argument `api_key`, or have it set for this server: header `Authorization: Bearer <api_key>`, over stdio the variable BOARD_API_KEY.";
    case "invalid_api_key":
      return isOutranked
        ? "This server is set up with a key of its own, which comes before the argument `api_key` and is not valid: have that header (over stdio BOARD_API_KEY) mended or taken out."
        : null;
    case "terms_not_accepted":
      return `Ask the person you work for to accept ${site.root}/terms, then send \`accept_terms: true\`.`;
    default:
      return null;
  }
}

/** The data that an operation answers without input, as JSON. */
async function dataOf(operation: Operation, from: Credentials, dispatcher: Dispatcher): Promise<string> {
  try {
    const { data } = await dispatcher.ask(operation, await dispatcher.admit(operation, from), {});
    return JSON.stringify(data);
  } catch (thrown) {
    const { error } = dispatcher.fail(thrown, null);
    throw new ProtocolError(ProtocolErrorCode.InternalError, `${error.code}: ${error.message} ${error.hint}`);
  }
}

interface Resource {
  uri: string;
  name: string;
  title: string;
  description: string;
  mimeType: string;
  read(from: Credentials): string | Promise<string>;
}

function resourcesOf(parts: McpParts, manual: string): Resource[] {
  const about = parts.catalog.tools.find(({ name }) => name === "about");
  return [
    ...(about === undefined
      ? []
      : [
          {
            uri: "board://about",
            name: "about",
            title: about.title,
            description: "Size, kinds, top tags and limits of the board.",
            mimeType: "application/json",
            read: (from: Credentials) => dataOf(about, from, parts.dispatcher),
          },
        ]),
    {
      uri: "board://manual",
      name: "manual",
      title: "Manual",
      description: "Every tool, field, failure and limit of the board on one page.",
      mimeType: "text/markdown",
      read: () => manual,
    },
    ...skillsOf(parts.catalog, parts.site).map(({ name, description, text }) => ({
      uri: `skill://${name}/SKILL.md`,
      name,
      title: `Skill: ${name}`,
      description,
      mimeType: "text/markdown",
      read: () => text,
    })),
  ];
}
