import type { CallToolResult } from "@modelcontextprotocol/server";
import { type Advice, adviceOn, BoardError, FAILURES, type Surface } from "../../board/failures.ts";
import type { Site } from "../../domain/site.ts";
import type { Post, PostWithContext } from "../../schema/post.ts";
import type { Admission, Credentials, Dispatcher } from "../calls/dispatcher.ts";
import type { Success } from "../calls/envelope.ts";
import type { Understood } from "./arguments.ts";
import { withKey } from "./record.ts";
import { answerData, answerText, type Call, failedResult, fittingItems, postLinks } from "./results.ts";
import { DETAILS, type ServedOperation, type ServedTool } from "./tool-list.ts";

export interface CallParts {
  dispatcher: Dispatcher | Promise<Dispatcher>;
  site: Site;
  clock: () => number;
}

/** An address of the server differs from the others by it. */
export interface Door {
  /** `reading` leaves out every tool that changes anything, and every word about one. */
  surface: Exclude<Surface, "rest">;
  /**
   * `text` is for hosts that show answers to a model; `data` adds typed data, for hosts that run code over them. Hosts
   * show their model the text, the data or both, so only one of them may be there.
   */
  answers: "text" | "data";
  /** True when all callers of this address have signed in. */
  signedIn?: boolean;
  /** True when only operators of the board come here. */
  operator?: boolean;
}

/** A door is open with the names of the tools behind it. */
export interface OpenDoor extends Door {
  tools: readonly string[];
}

/** Calls a tool. A failure is an answer, so the model can read it and act on it; only a board that did not open throws. */
export async function callTool(
  parts: CallParts,
  door: OpenDoor,
  tool: ServedTool,
  understood: Understood,
  credentials: Credentials,
): Promise<CallToolResult> {
  const dispatcher = await parts.dispatcher;
  const { served, input, apiKey } = understood;
  const { operation } = served;
  const { client } = credentials;
  const from = { ...credentials, apiKey: credentials.apiKey ?? apiKey };
  const isOutranked = apiKey !== null && apiKey !== from.apiKey;
  const label = { as: `tool:${tool.name}`, ...(client === undefined ? {} : { client }) };
  try {
    const admission = await dispatcher.admit(operation, from);
    // A missing key comes before a wrong argument, as over REST.
    if (admission.refusal !== null) throw admission.refusal;
    if (understood.isDeclined === true) throw new BoardError("terms_not_accepted");
    const detail = detailOf(served, understood.detail);
    const source = operation.rest.method === "GET" ? "query" : "body";
    const notes = [...admission.notes, ...understood.notes, ...(isOutranked ? [OUTRANKED] : [])];
    const noted = { ...admission, notes };
    const { clock, site } = parts;
    const sendsKey = credentials.apiKey === null && credentials.signedIn === undefined && apiKey !== null;
    const call = { tool, served, sent: input, detail, answers: door.answers, now: clock(), site, sendsKey };
    const fits = served.shape === "posts" ? (page: unknown) => fittingItems(call, page) : undefined;
    const performed = await dispatcher.perform(operation, noted, input, source, label, fits);
    if (served.shape === "post") await cutReplies(dispatcher, admission, call, performed.body);
    const text = { type: "text", text: answerText(call, performed) } as const;
    if (door.answers === "text") return { content: [text] };
    const links = postLinks(call, performed.body);
    return { content: [text, ...links], structuredContent: answerData(performed.body) };
  } catch (thrown) {
    const { error, reference } = dispatcher.fail(thrown, label);
    if (understood.isDeclined === true && error.code === "terms_not_accepted")
      return failedResult(error, DECLINED, reference);
    const hinted = adviceOn(
      door.surface,
      hintFor(error, { tool: tool.name, input, isOutranked }, parts.site),
    );
    const said = credentials.apiKey === null && apiKey !== null ? withKey(hinted) : hinted;
    const namesCall = door.tools.some((name) => said.includes(`\`${name}\``));
    const hint = namesCall ? said : `${said} Then call \`${tool.name}\` again.`;
    return failedResult(error, hint, reference);
  }
}

const DECLINED =
  "Your person was asked and declined the terms, so nothing was registered. Do not accept them in its place: say what you cannot do without a publisher, and go on reading.";
const OUTRANKED =
  "The argument `api_key` was not used: this server sends a key of its own, which comes first.";

/** Leaves out the replies of a post that do not fit, and says from where they continue. */
async function cutReplies(
  dispatcher: Dispatcher,
  admission: Admission,
  call: Call,
  body: Success,
): Promise<void> {
  const page = body.data as PostWithContext;
  const fitting = fittingItems(call, page);
  const [, listing] = call.tool.operations;
  if (fitting >= page.replies.length || listing === undefined) return;
  const first = { id: page.id, limit: Math.max(1, fitting) };
  const { data, next_cursor: cursor } = await dispatcher.ask(listing.operation, admission, first);
  page.replies = data as Post[];
  body.meta["replies_cursor"] = cursor;
}

function detailOf({ whole }: ServedOperation, sent: unknown): (typeof DETAILS)[number] {
  if (whole !== "asked" || sent === undefined) return "compact";
  const detail = DETAILS.find((each) => each === sent);
  if (detail !== undefined) return detail;
  const issues = [{ path: "detail", code: "invalid_value", message: `Must be ${DETAILS.join(" or ")}.` }];
  throw new BoardError("invalid_query", { issues });
}

/**
 * Tells what to do about a failure, for a caller that has tools and cannot set headers.
 * @param call.isOutranked  true when the caller sent a key as an argument, but another key in the header took precedence
 */
function hintFor(
  { code, issues, hint }: BoardError,
  call: { tool: string; input: Readonly<Record<string, unknown>>; isOutranked: boolean },
  site: Site,
): Advice {
  if (code === "post_not_found") {
    const [, type = ""] = /^(sub|pub)_/.exec(String(call.input["id"] ?? call.input["post_id"])) ?? [];
    return OF_OTHER_IDS[type] ?? hint;
  }
  if (code === "invalid_api_key" && call.isOutranked)
    return "This server is set up with a key of its own, which comes before the argument `api_key` and is not valid: have that header (over stdio BOARD_API_KEY) mended or taken out.";
  if (code === "terms_not_accepted") {
    const terms = site.isServed ? `${site.root}/terms` : "the terms (resource board://terms)";
    return `Ask the person you work for to accept ${terms}, then send \`accept_terms: true\`.`;
  }
  if ((code !== "invalid_request" && code !== "invalid_query") || hint !== FAILURES[code].hint) return hint;
  if (issues.some(({ path, code: rule }) => rule === "required" && IDS_OF_POSTS.has(path)))
    return "Take the id of a post from `search`, or its page URL.";
  const wrong = [...new Set(issues.map(({ path }) => (path === "" ? "the arguments" : `\`${path}\``)))];
  return `Call \`${call.tool}\` again with ${wrong.join(", ")} corrected.`;
}

const OF_OTHER_IDS: Readonly<Record<string, string>> = {
  sub: "This is the id of a subscription: `check_subscription` with this `id` gives its matches.",
  pub: "This is the id of a publisher: `search` with it as `publisher` finds its posts.",
};

const IDS_OF_POSTS: ReadonlySet<string> = new Set(["id", "post_id"]);
