import { Router } from "express";
import type { Site } from "../../../domain/site.ts";
import { BoardError } from "../../../failures.ts";
import type { Operation } from "../../../operation.ts";
import type { Post } from "../../../schema/post.ts";
import type { Publisher } from "../../../schema/publisher.ts";
import type { Dispatcher } from "../../calls/dispatcher.ts";
import { admitted, countedAsRead } from "../../http/requests.ts";
import { languageOf } from "../frame/language.ts";
import {
  addedFields,
  filledFields,
  formBody,
  isFromElsewhere,
  mendable,
  sendAnswer,
} from "../frame/posted-form.ts";
import { NOTICE_FIELDS, type NoticeField, noticeFields, noticeProblems, postInput } from "./own-posts.ts";
import {
  editHtml,
  erasedHtml,
  joinHtml,
  keyHtml,
  type OwnPublisher,
  type OwnView,
  ownHtml,
} from "./pages.ts";

/** What the forms of `/join` do: the operation behind each, and the fields that it takes from the form. */
const ACTIONS = {
  register: { route: ["POST", "/publishers"], fields: ["name", "description", "url"] },
  show: { route: ["GET", "/publishers/me"], fields: [] },
  write: { route: ["POST", "/posts"], fields: [...NOTICE_FIELDS, "idempotency_key"] },
  answer: { route: ["POST", "/posts"], fields: ["body", "parent_id", "idempotency_key"] },
  change: { route: ["GET", "/posts/{id}"], fields: ["id"] },
  save: { route: ["PATCH", "/posts/{id}"], fields: ["id", ...NOTICE_FIELDS] },
  end: { route: ["PATCH", "/posts/{id}"], fields: ["id"] },
  remove: { route: ["DELETE", "/posts/{id}"], fields: ["id"] },
  edit: { route: ["PATCH", "/publishers/me"], fields: ["name", "description"] },
  verify: { route: ["POST", "/publishers/verify"], fields: ["url"] },
  rotate: { route: ["POST", "/publishers/me/rotate-key"], fields: ["sign_out_hosts"] },
  stop: { route: ["DELETE", "/subscriptions/{id}"], fields: ["id"] },
  erase: { route: ["DELETE", "/publishers/me"], fields: [] },
} as const;
type Action = keyof typeof ACTIONS;
/** Every field of the page's forms. */
const FORM_FIELDS = [
  "api_key",
  "accept_terms",
  "confirm",
  ...Object.values(ACTIONS).flatMap(({ fields }) => fields),
];

type OperationAt = (method: string, path: string) => Operation;

/**
 * `/join`: a person gets a key, and looks after a publisher with one. The key travels in the body of a form and stands on
 * the page that answers it, which no cache keeps; it is in no address, header or log.
 */
export function joinRoutes(operationAt: OperationAt, site: Site, dispatcher: Dispatcher): Router {
  const router = Router({ caseSensitive: true });
  const operationOf = (action: Action) => {
    const [method, path] = ACTIONS[action].route;
    return operationAt(method, path);
  };
  const recent = operationAt("GET", "/publishers/{id}");
  const counted = countedAsRead(dispatcher);
  router.get("/join", counted, (_request, response) => {
    sendAnswer(response, 200, joinHtml(site));
  });
  // The page that answers counts too: a form that is shown again reaches no operation.
  router.post("/join", counted, formBody, async (request, response) => {
    response.locals["form"] = "html";
    const action = actionOf(request.body);
    const fields = ["api_key", "accept_terms", "confirm", ...ACTIONS[action].fields];
    const sent = filledFields(request.body, fields);
    const added = addedFields(request.body, ["do", ...FORM_FIELDS]);
    const answer = (status: number, page: string) => sendAnswer(response, status, page);
    const formAgain = { sent: action === "register" ? sent : {} };
    const apiKey = action === "register" ? null : (sent["api_key"]?.trim() ?? null);
    if (isFromElsewhere(request)) return answer(200, joinHtml(site, { ...formAgain, foreign: true }));
    const perform = async (which: Operation, input: Record<string, unknown>) => {
      const admission = await admitted(dispatcher, which, request, response, { apiKey });
      const { body } = await dispatcher.perform(which, admission, input, "body");
      return { data: body.data, now: admission.now };
    };
    const showOwn = async (key: string, said: OwnView["said"], status = 200, typed = {}) => {
      const { data, now } = await perform(operationOf("show"), {});
      const own = data as Omit<OwnPublisher, "recent_posts">;
      const { recent_posts } = (await perform(recent, { id: own.id })).data as OwnPublisher;
      const view = { apiKey: key, said, typed, now, language: languageOf(request) };
      answer(status, ownHtml({ ...own, recent_posts }, view, site));
    };
    try {
      if (action === "register") {
        const input = { ...added, ...sent, accept_terms: sent["accept_terms"] === "yes" };
        const made = (await perform(operationOf(action), input)).data as Publisher & { api_key: string };
        return answer(201, keyHtml(made.api_key, made, site));
      }
      if (apiKey === null) throw new BoardError("missing_api_key");
      if (action === "erase" && sent["confirm"] !== "yes")
        return await showOwn(apiKey, "Nothing was erased: tick the box to confirm.", 400);
      const { api_key: _, accept_terms: __, confirm: ___, ...filled } = sent;
      const input: Record<string, unknown> = { ...added, ...filled };
      if (action === "show") return await showOwn(apiKey, null);
      if (action === "change" || action === "save") {
        const post = (await perform(operationOf("change"), { id: input["id"] })).data as Post;
        const shown = noticeFields(post);
        if (action === "change") return answer(200, editHtml(post, shown, apiKey, site));
        const typed = typedNotice(request.body);
        const changed = NOTICE_FIELDS.filter(
          (name) => typed[name] !== undefined && typed[name] !== shown[name],
        );
        const patch = postInput(Object.fromEntries(changed.map((name) => [name, typed[name]])));
        try {
          await perform(operationOf("save"), { ...added, ...patch, id: post.id });
        } catch (thrown) {
          const { error, status } = mendable(thrown, 499);
          return answer(status, editHtml(post, { ...shown, ...typed }, apiKey, site, error));
        }
        return await showOwn(apiKey, "Your post was changed.");
      }
      if (action === "write" || action === "answer") {
        const { parent_id, idempotency_key, ...notice } = filled as Record<string, string>;
        const once = {
          ...(parent_id !== undefined && { parent_id }),
          ...(idempotency_key !== undefined && { idempotency_key }),
        };
        try {
          await perform(operationOf(action), { ...added, ...postInput(notice), ...once });
        } catch (thrown) {
          const { error, status } = mendable(thrown, 499);
          return await showOwn(apiKey, noticeProblems(error), status, action === "write" ? notice : {});
        }
        return await showOwn(apiKey, "It is public now.");
      }
      if (action === "end") input["expires_at"] = "now";
      // An empty box of the form clears the description.
      const changes = action === "edit" ? { description: null, ...input } : input;
      const { data: done } = await perform(operationOf(action), changes);
      if (action === "erase") answer(200, erasedHtml(site));
      else if (action === "rotate") answer(200, keyHtml((done as { api_key: string }).api_key, null, site));
      else await showOwn(apiKey, saidAfter(action, done));
    } catch (thrown) {
      const { error, status } = mendable(thrown);
      answer(status, joinHtml(site, { ...formAgain, error }));
    }
  });
  return router;
}

/** The boxes of a notice as they were sent, empty ones too. */
function typedNotice(body: unknown): Partial<Record<NoticeField, string>> {
  const sent = (body ?? {}) as Record<string, unknown>;
  const boxes = NOTICE_FIELDS.filter((name) => typeof sent[name] === "string");
  return Object.fromEntries(boxes.map((name) => [name, String(sent[name]).replaceAll("\r\n", "\n").trim()]));
}

function saidAfter(action: "edit" | "verify" | "end" | "remove" | "stop", done: unknown): string {
  if (action === "end")
    return "The post has ended. Its text stays readable at its address until it is erased; take it down to have it gone now.";
  if (action === "remove") return "The post is gone.";
  if (action === "stop") return "The saved search is gone. A host that still wants it may make it again.";
  if (action === "edit") return "Your publisher was changed.";
  return (done as { verified: boolean }).verified
    ? "Your domain is verified."
    : "The proof was not found yet. Set it up as told below, then try again.";
}

function actionOf(body: unknown): Action {
  const { do: action } = filledFields(body, ["do"]);
  return action !== undefined && Object.hasOwn(ACTIONS, action) ? (action as Action) : "register";
}
