import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Site } from "../../domain/site.ts";
import { BoardError } from "../../failures.ts";
import type { Credentials, Dispatcher } from "../calls/dispatcher.ts";
import { answerOf, failedResult } from "./results.ts";
import { DETAILS, operationAsked, type ServedOperation, type ServedTool } from "./tool-list.ts";

export interface CallParts {
  dispatcher: Dispatcher;
  site: Site;
  clock: () => number;
}

/** Calls a tool. Never throws: a failure is an answer, so the model can read it and act on it. */
export async function callTool(
  parts: CallParts,
  door: { surface: "tools" | "reading"; answers: "text" | "data" },
  tool: ServedTool,
  sent: Record<string, unknown>,
  credentials: Credentials,
): Promise<CallToolResult> {
  const { dispatcher, clock } = parts;
  const { apiKey, detail: sentDetail, input } = argumentsOf(sent);
  const served = operationAsked(tool, input);
  const { operation } = served;
  const { client } = credentials;
  const from = { ...credentials, apiKey: credentials.apiKey ?? apiKey };
  const label = { as: `tool:${tool.name}`, ...(client === undefined ? {} : { client }) };
  try {
    const admission = await dispatcher.admit(operation, from);
    // A missing key comes before a wrong argument, as over REST.
    if (admission.refusal !== null) throw admission.refusal;
    const detail = detailOf(served, sentDetail);
    const source = operation.rest.method === "GET" ? "query" : "body";
    const performed = await dispatcher.perform(operation, admission, input, source, label);
    const { text, data } = answerOf({ tool, served, sent: input, detail, now: clock() }, performed);
    return {
      content: [{ type: "text", text }],
      ...(door.answers === "data" ? { structuredContent: data } : {}),
    };
  } catch (thrown) {
    const { error, reference } = dispatcher.fail(thrown, label);
    const isOutranked = apiKey !== null && apiKey !== from.apiKey;
    return failedResult(forAgents(error, isOutranked, parts.site), door.surface, reference);
  }
}

/** Separates the operation's own arguments from `api_key` and `detail`, and drops those a model left null or "". */
function argumentsOf(sent: Record<string, unknown>) {
  const { api_key: apiKey, detail, ...input } = withoutNothing(sent);
  return { apiKey: typeof apiKey === "string" ? apiKey : null, detail, input };
}

/** Where every argument must be sent, models fill in null or "" for those they do not want, inside objects too. */
function withoutNothing(sent: Record<string, unknown>): Record<string, unknown> {
  const given = Object.entries(sent).filter(([, value]) => value !== null && value !== "");
  return Object.fromEntries(
    given.map(([name, value]) => [
      name,
      isObject(value) && name !== "metadata" ? withoutNothing(value) : value,
    ]),
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function detailOf({ whole }: ServedOperation, sent: unknown): (typeof DETAILS)[number] {
  if (whole !== "asked" || sent === undefined) return "compact";
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
  const { code, issues } = error;
  if (code === "invalid_api_key" && isOutranked) {
    const hint =
      "This server is set up with a key of its own, which comes before the argument `api_key` and is not valid: have that header (over stdio BOARD_API_KEY) mended or taken out.";
    return new BoardError(code, { hint, issues });
  }
  if (code === "terms_not_accepted") {
    const hint = `Ask the person you work for to accept ${site.root}/terms, then send \`accept_terms: true\`.`;
    return new BoardError(code, { hint, issues });
  }
  return error;
}
