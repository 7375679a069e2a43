import { type Request, type RequestHandler, type Response, Router } from "express";
import type { Logger } from "pino";
import { ACTS, type Act, type Moderation, PAGE_ROWS } from "../../domain/moderation.ts";
import { sinceOf } from "../../domain/since.ts";
import type { Site } from "../../domain/site.ts";
import { cleanLine } from "../../schema/text.ts";
import type { Dispatcher } from "../calls/dispatcher.ts";
import { countedAsRead } from "../http/requests.ts";
import { filledFields, formBody, isFromElsewhere, mendable, sendAnswer } from "../pages/frame/posted-form.ts";
import { isPrivate, isSameText, type OperatorAccess, type Session } from "./access.ts";
import {
  type Desk,
  deskHtml,
  examinedHtml,
  healthHtml,
  nothingDoneHtml,
  type PostSearch,
  postsHtml,
  publishersHtml,
  signInHtml,
  type Table,
} from "./pages.ts";
import { subjectId } from "./tools.ts";

export interface OperateParts {
  access: OperatorAccess;
  moderation: Moderation;
  site: Site;
  dispatcher: Dispatcher;
  logger: Logger;
  clock: () => number;
  health: () => Promise<Table[]>;
}

const SHOWN = 100;
const REASON_CHARS = 500;
const ELSEWHERE = "The form did not come from this page, or its sign-in is over.";

/** Serves `/operate`: the operator's pages, which need no script. They exist where OPERATOR_KEY is set. */
export function operateRoutes(parts: OperateParts): Router {
  const { access, moderation, site, clock } = parts;
  const router = Router({ caseSensitive: true });
  const counted = countedAsRead(parts.dispatcher);

  router.use("/operate", counted, onlyPrivately);
  router.post("/operate", formBody, async (request, response) => {
    const { key } = filledFields(request.body, ["key"]);
    if (isFromElsewhere(request)) return refuse(response, ELSEWHERE);
    try {
      const who = key === undefined ? null : await access.named(key, request.ip ?? "");
      if (who === null || key === undefined)
        return sendAnswer(response, 403, signInHtml(site, "This is not an operator's key."));
      parts.logger.info({ who }, "an operator signed in");
      await access.begin(request, response, key);
      response.redirect(303, "/operate");
    } catch (thrown) {
      const { error } = mendable(thrown, 429);
      response.set("Retry-After", String(error.retryAfterS));
      sendAnswer(response, 429, signInHtml(site, "Too many wrong keys from here. Wait a minute."));
    }
  });
  router.post("/operate/out", formBody, async (request, response) => {
    if ((await sessionOfForm(request)) === null) return refuse(response, ELSEWHERE);
    await access.end(request, response);
    response.redirect(303, "/operate");
  });
  router.post("/operate/act", formBody, async (request, response) => {
    const session = await sessionOfForm(request);
    if (session === null) return refuse(response, ELSEWHERE);
    const sent = filledFields(request.body, ["do", "reason", "here"]);
    const reason = [...cleanLine(sent["reason"] ?? "")].slice(0, REASON_CHARS).join("");
    // A button names the act and, where it is not for what is ticked, the field with the posts.
    const [act = "", field = "id"] = (sent["do"] ?? "").split(" ");
    const ids = [(request.body as Record<string, string | string[]>)[field] ?? []].flat().join(" ");
    const chosen = ids.split(" ").filter(Boolean).slice(0, PAGE_ROWS);
    if (reason === "" || chosen.length === 0 || !Object.hasOwn(ACTS, act))
      return refuse(response, "Tick something, and say why.", 400);
    const acted = await moderation.actOn(act as Act, chosen, reason, clock(), session.who);
    const done = acted.filter(({ failure }) => failure === null).length;
    parts.logger.info({ who: session.who, act, done, of: acted.length }, "moderated");
    response.redirect(303, wayBack(sent["here"]));
  });

  page("/operate", async (_request, desk) => deskHtml(desk, await moderation.desk(SHOWN)));
  page("/operate/posts", async (request, desk) => {
    const asked: PostSearch = filledFields(request.query, ["publisher", "since", "with", "hidden", "before"]);
    const { publisher, since, with: words = "", before } = asked;
    const sought = {
      publishers: publisher === undefined ? [] : [subjectId(publisher)],
      since: since === undefined ? since : sinceOf(since, clock()),
      hidden: asked.hidden === "yes",
    };
    const found = await moderation.posts(sought, words, { before, limit: PAGE_ROWS });
    return postsHtml(desk, asked, found, found[PAGE_ROWS - 1]?.id);
  });
  page("/operate/posts/:id", async (request, desk) =>
    examinedHtml(desk, await moderation.examine(String(request.params["id"]))),
  );
  page("/operate/publishers", async (request, desk) => {
    const { since, before } = filledFields(request.query, ["since", "before"]);
    const from = since === undefined ? 0 : sinceOf(since, clock());
    const { value: found = [] } = await moderation.publishers(from, before).next();
    return publishersHtml(desk, since, found, found[PAGE_ROWS - 1]?.id);
  });
  page("/operate/health", async (_request, desk) => healthHtml(desk, await parts.health()));
  return router;

  /** Shows a page to whoever is signed in; anybody else is asked to. */
  function page(path: string, show: (request: Request, desk: Desk) => Promise<string>): void {
    router.get(path, async (request, response) => {
      const session = await access.session(request);
      if (session === null) return sendAnswer(response, 200, signInHtml(site, null));
      const desk = { site, session, here: request.originalUrl };
      try {
        sendAnswer(response, 200, await show(request, desk));
      } catch (thrown) {
        const { error, status } = mendable(thrown, 404);
        const [issue] = error.issues;
        refuse(response, issue === undefined ? error.message : issue.message, status);
      }
    });
  }

  function refuse(response: Response, why: string, status = 403): void {
    sendAnswer(response, status, nothingDoneHtml(site, why));
  }

  /** Finds the session of a form that stood on its own page; null for any other. */
  async function sessionOfForm(request: Request): Promise<Session | null> {
    const session = await access.session(request);
    const { form_token: formToken = "" } = filledFields(request.body, ["form_token"]);
    return session !== null && !isFromElsewhere(request) && isSameText(formToken, session.formToken)
      ? session
      : null;
  }

  function onlyPrivately(...[request, response, next]: Parameters<RequestHandler>): void {
    if (isPrivate(request)) {
      next();
      return;
    }
    const why =
      "The operator's pages are served by https, or on the board's own machine. Behind a proxy with https, set TRUST_PROXY.";
    refuse(response, why);
  }
}

/** Leads back to the page of a form, which is one of these. */
const wayBack = (here = ""): string =>
  /^\/operate(\/posts|\/publishers)?([/?][^\s\\]*)?$/.test(here) ? here : "/operate";
