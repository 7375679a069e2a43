import type { Described, Draft } from "./requests.ts";
import type { World } from "./world.ts";

/** A request to a surface that the OpenAPI document does not describe, and what may answer it. */
export interface SurfaceRequest {
  /** Names it in the report, such as `mcp search`. */
  id: string;
  url: string;
  init: RequestInit;
  statuses: ReadonlySet<number>;
  /** Beginnings of the media types. */
  types: readonly string[];
}

const TOOLS: ReadonlySet<string> = new Set(
  "about search get_post create_post register_publisher subscribe check_subscription report_post".split(" "),
);
const DOORS = ["/mcp", "/mcp/data", "/mcp/readonly"];
/** 202 answers a notification, 400 what is no JSON-RPC. */
const MCP_STATUSES = new Set([200, 202, 400, 401, 404, 413, 415, 429]);
const FEEDS = [
  "/feed.xml",
  "/feed.atom",
  "/feed.json",
  "/calendar.ics",
  "/search",
  "/search.json",
  "/search.md",
];
const PAGES = ["/p/", "/publishers/"];
const PAGE_STATUSES = new Set([200, 301, 302, 303, 304, 308, 400, 404, 410, 414, 429]);
const ODD_CALLS = [
  { jsonrpc: "2.0", id: 1 },
  { jsonrpc: "1.0", id: 1, method: "tools/list" },
  { jsonrpc: "2.0", id: 1, method: "tools/call" },
  { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "__proto__", arguments: {} } },
  { jsonrpc: "2.0", id: null, method: "tools/list" },
  { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri: "board://nothing" } },
  { jsonrpc: "2.0", id: 1, method: "prompts/get", params: { name: "find", arguments: { q: "x" } } },
  { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "x" } },
  { jsonrpc: "2.0", id: 1, method: "prompts/get", params: { name: "find", arguments: { what: 5 } } },
  { jsonrpc: "2.0", id: 1, method: "prompts/get", params: { name: {} } },
  { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri: 5 } },
  { jsonrpc: "2.0", id: 1, method: "tools/list", params: { cursor: 5 } },
  { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "search", arguments: "x" } },
  { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: {} },
  [],
  [{ jsonrpc: "2.0", id: 1, method: "tools/list" }, 7],
  "tools/list",
  null,
];

/**
 * The same draft on another surface: a tool over MCP, a search as a feed or page, a post as a page; null for the rest.
 * @param successes  how often a surface has answered 200 so far; a draft without a flaw goes to the feed with the fewest
 */
export function onOtherSurface(
  operation: Described,
  draft: Draft,
  world: World,
  { site, round, successes }: { site: string; round: number; successes: (id: string) => number },
): SurfaceRequest | null {
  const { url, init } = world.requestOf(operation, draft);
  if (operation.id === "search" && round % 2 === 0) {
    const seldom = FEEDS.toSorted((a, b) => successes(`page ${a}`) - successes(`page ${b}`));
    const path = (draft.flaw === null ? seldom[0] : FEEDS[(round / 2) % FEEDS.length]) ?? "";
    return page(`page ${path}`, `${site}${path}${new URL(url).search}`, init);
  }
  if (operation.id === "get_post" && round % 2 === 0) {
    const form = ["", ".json", ".md", ".ics"][(round / 2) % 4] ?? "";
    const path = `${PAGES[(round / 8) % 2 < 1 ? 0 : 1]}${new URL(url).pathname.split("/").at(-1)}${form}`;
    return page(`page of one${form}`, site + path, init);
  }
  if (!TOOLS.has(operation.id)) return null;
  const door = DOORS[round % DOORS.length] ?? "";
  const isOdd = round % 11 === 0;
  const call = {
    jsonrpc: "2.0",
    id: round,
    method: "tools/call",
    params: { name: operation.id, arguments: world.argumentsOf(draft) },
  };
  return {
    id: isOdd ? "mcp, odd" : `mcp ${operation.id}`,
    url: site + door,
    init: {
      method: "POST",
      headers: {
        ...(init.headers as Record<string, string>),
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify(isOdd ? ODD_CALLS[(round / 11) % ODD_CALLS.length] : call),
    },
    statuses: MCP_STATUSES,
    types: ["application/json", "text/event-stream", ""],
  };
}

function page(id: string, url: string, { headers }: RequestInit): SurfaceRequest {
  const types = ["text/", "application/"];
  return { id, url, init: { headers: headers ?? {}, redirect: "manual" }, statuses: PAGE_STATUSES, types };
}

/** What is wrong with the answer, or null. */
export function surfaceProblem(
  { id, statuses, types }: SurfaceRequest,
  { status, headers }: Response,
  text: string,
): string | null {
  if (status >= 500 || !statuses.has(status)) return `${id}: ${status}`;
  const type = headers.get("content-type") ?? "";
  const isPointer = status >= 300 && status < 400;
  if (!isPointer && !types.some((one) => type.startsWith(one))) return `${id}: type ${type}`;
  if (/"code":\s*"?internal|"code":\s*-32603/.test(text)) return `${id}: internal`;
  return null;
}
