import { type Request, type RequestHandler, type Response, Router } from "express";
import { BoardError, FAILURES } from "../../board/failures.ts";
import type { Operation } from "../../board/operation.ts";
import type { Site } from "../../domain/site.ts";
import type { Admission, Dispatcher } from "../calls/dispatcher.ts";
import { addNextLink, type FailurePage } from "../http/answers.ts";
import { type Form, negotiate, pathsOf, sendForm } from "../http/forms.ts";
import {
  admitted,
  countedAsRead,
  countRead,
  credentialsOf,
  sentQuery,
  setLimitHeaders,
} from "../http/requests.ts";
import { routeOf } from "../http/rest.ts";
import { calendar } from "./calendar/index.ts";
import { places, tags } from "./counts.ts";
import { docsViews } from "./docs.ts";
import { failureHtml, failureMarkdown } from "./failure.ts";
import { assetRoutes } from "./frame/assets.ts";
import { shownText } from "./frame/html.ts";
import { languageOf } from "./frame/language.ts";
import type { Asked, View } from "./frame/view.ts";
import { home } from "./home.ts";
import { joinRoutes } from "./join/index.ts";
import { legalViews } from "./legal.ts";
import { placeRoutes } from "./place-names.ts";
import { post } from "./post/index.ts";
import { reportRoutes } from "./post/report.ts";
import { publisher } from "./publisher.ts";
import { search } from "./search/index.ts";
import { stats } from "./stats.ts";

const VIEWS: readonly View[] = [home, search, post, publisher, calendar, tags, places, stats];

/**
 * Serves the pages for people. Each shows the answer of an operation in three forms: HTML, Markdown, and JSON (the
 * operation's own envelope). Pages count against the operation's limits. Posts on them do not count as found.
 */
export function pagesRouter(operations: readonly Operation[], site: Site, dispatcher: Dispatcher): Router {
  const router = Router({ caseSensitive: true });
  const shown = operations.map(({ statistic: _, ...operation }) => operation);
  const views = [...VIEWS, ...docsViews(operations, site), ...legalViews()];
  const counted = countedAsRead(dispatcher);
  router.use(assetRoutes(site, counted));
  router.use(placeRoutes(counted));
  for (const view of views) {
    const operation = operationAt(shown, "GET", view.route);
    router.get(
      pathsOf(view.path),
      skipOtherSuffixes,
      negotiate(site),
      showing(view, operation, { operations: shown, site, dispatcher }),
      ...routeOf(operation, dispatcher),
    );
  }
  router.use(joinRoutes((method, path) => operationAt(operations, method, path), site, dispatcher));
  router.use(reportRoutes(operationAt(shown, "POST", "/reports"), site, dispatcher));
  return router;
}

interface PageParts {
  operations: readonly Operation[];
  site: Site;
  dispatcher: Dispatcher;
}

/** Sends failures of pages in the form the caller asked for. */
export function failurePage(site: Site): FailurePage {
  return ({ error, reference }, request, response) => {
    const { form, view, asked } = response.locals as { form?: Form; view?: View; asked?: Asked };
    if (form === undefined || form === "json") return false;
    const isMistake = FAILURES[error.code].status === 400 && asked !== undefined;
    const own = isMistake ? view?.failed?.(asked, error) : undefined;
    const text =
      form === "markdown" ? failureMarkdown(error, reference) : (own ?? failureHtml(error, site, reference));
    sendForm(request, response, form, text);
    return true;
  };
}

/** Answers unknown addresses: with a page for browsers, with JSON for all other clients. */
export function nothingHere(): RequestHandler {
  return (request, response) => {
    response.vary("Accept");
    // Only browsers name XHTML. Other programs get the envelope.
    const isBrowser = (request.get("accept") ?? "").includes("application/xhtml+xml");
    if (isBrowser && !/^\/(api|mcp|\.well-known)\b/.test(request.path)) response.locals["form"] = "html";
    throw new BoardError("not_found");
  };
}

/** Sends a page as HTML or Markdown. JSON is left to the operation's route, unless the page builds its own. */
function showing(view: View, operation: Operation, parts: PageParts): RequestHandler {
  return async (request, response, next) => {
    const form = response.locals["form"] as Form;
    if (form === "json" && view.route !== home.route) {
      next();
      return;
    }
    const tidy = form === "html" ? withoutEmpty(request) : null;
    if (tidy !== null) {
      await countRead(parts.dispatcher, credentialsOf(request), response);
      response.redirect(302, tidy);
      return;
    }
    const admission = await admitted(parts.dispatcher, operation, request, response);
    const asked = askedOf(request, response, operation, admission, parts);
    Object.assign(response.locals, { view, asked });
    const shown = await view.show(asked);
    parts.dispatcher.answered({ as: operation.name }, 200);
    if (typeof shown.nextCursor === "string") addNextLink(request, response, shown.nextCursor);
    const text =
      form === "html" ? shown.html() : form === "markdown" ? shown.markdown() : JSON.stringify(shown.json);
    sendForm(request, response, form, text);
  };
}

function askedOf(
  request: Request,
  response: Response,
  shown: Operation,
  admission: Admission,
  { operations, site, dispatcher }: PageParts,
): Asked {
  const given = Object.entries(request.query).map(([name, values]): [string, string] => [
    name,
    [values]
      .flat()
      .map(String)
      .filter((each) => each !== "")
      .join(","),
  ]);
  const sent = given.filter(([, value]) => value !== "");
  const known = sent.filter(([name]) => Object.hasOwn(shown.input.shape, name));
  return {
    site,
    params: request.params as Record<string, string>,
    sent: Object.fromEntries(sent),
    query: Object.fromEntries(known.map(([name, value]) => [name, shownText(value)])),
    now: admission.now,
    language: languageOf(request),
    async ask(route, input, options) {
      const operation = operationAt(operations, "GET", route);
      // A page is admitted for one call of its own operation; each search on another page counts as one.
      if (operation.limit === "search" && shown.limit !== "search")
        setLimitHeaders(response, await dispatcher.stray(credentialsOf(request), operation.limit));
      return dispatcher.ask(operation, admission, input, options);
    },
  };
}

/** Gives the address without the empty fields that forms send, which is short enough to share. Null when none is empty. */
function withoutEmpty(request: Request): string | null {
  const sent = sentQuery(request);
  const kept = [...sent].filter(([, value]) => value.trim() !== "");
  if (kept.length === sent.size) return null;
  // Two leading slashes would name another host.
  const path = request.path.replace(/^\/+/, "/");
  return kept.length === 0 ? path : `${path}?${new URLSearchParams(kept)}`;
}

/** Ids contain no dot. A suffix other than `.json` and `.md`, such as `.ics`, belongs to another route. */
const skipOtherSuffixes: RequestHandler = (request, _response, next) => {
  next(/\.(?!json$|md$)\w+$/.test(request.path) ? "route" : undefined);
};

function operationAt(operations: readonly Operation[], method: string, path: string): Operation {
  const found = operations.find(({ rest }) => rest.method === method && rest.path === path);
  if (found === undefined) throw new Error(`no operation at ${method} ${path}`);
  return found;
}
