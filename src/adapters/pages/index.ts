import { type ErrorRequestHandler, type Request, type RequestHandler, Router } from "express";
import type { Site } from "../../domain/site.ts";
import { BoardError, FAILURES } from "../../failures.ts";
import type { Operation } from "../../operation.ts";
import type { Admission } from "../calls/dispatcher.ts";
import { asBoardError, logFailure } from "../calls/errors.ts";
import type { LimitHeaders } from "../calls/limits.ts";
import { type Form, negotiate, pathsOf, sendForm } from "../http/forms.ts";
import { addNextLink, sentQuery } from "../http/links.ts";
import { credentialsOf, failureHandler, type RestParts, routeOf, setLimitHeaders } from "../http/rest.ts";
import { docsView } from "./docs/index.ts";
import { failureHtml, failureMarkdown } from "./failure.ts";
import { assetRoutes } from "./frame/assets.ts";
import { shownText } from "./frame/html.ts";
import type { Asked, View } from "./frame/view.ts";
import { home } from "./home.ts";
import { textViews } from "./legal.ts";
import { post } from "./post/index.ts";
import { reportRoutes } from "./post/report.ts";
import { publisher } from "./publisher.ts";
import { search } from "./search/index.ts";
import { stats } from "./stats.ts";

const VIEWS: readonly View[] = [home, search, post, publisher];

/**
 * The pages for people. Each shows what an operation answers, in three forms under one address: HTML, JSON (the very
 * envelope of the operation) and Markdown. Their limits are those of the operation; nothing on them counts as found.
 */
export function pagesRouter(operations: readonly Operation[], site: Site, parts: RestParts): Router {
  const router = Router({ caseSensitive: true });
  router.use(assetRoutes());
  for (const view of [...VIEWS, stats, docsView(operations), ...textViews()]) {
    const operation = operationAt(operations, "GET", view.route);
    router.get(
      pathsOf(view.path),
      skipOtherSuffixes,
      negotiate(site),
      showing(view, operation, operations, site, parts),
      ...routeOf(operation, parts, { counts: false }),
    );
  }
  router.use(reportRoutes(operationAt(operations, "POST", "/reports"), site, parts));
  router.use(pageFailures(site, parts));
  return router;
}

/** Failures of pages, in the form that was asked for; whatever was no page is passed on. */
export function pageFailures(site: Site, parts: RestParts): ErrorRequestHandler {
  const asJson = failureHandler(parts);
  return async (thrown: unknown, request, response, next) => {
    const form = response.locals["form"] as Form | undefined;
    if (form === undefined || form === "json") {
      await asJson(thrown, request, response, next);
      return;
    }
    const error = asBoardError(thrown);
    const { status } = FAILURES[error.code];
    const reference = logFailure(error, parts.logger);
    parts.answered(String(response.locals["operation"] ?? "unknown"), status);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (error.code === "rate_limited") setLimitHeaders(response, error.cause as LimitHeaders | undefined);
    if (error.retryAfterS !== undefined) response.set("Retry-After", String(error.retryAfterS));
    response.status(status);
    const text =
      form === "markdown"
        ? failureMarkdown(error, reference)
        : (failedView(response.locals["view"], response.locals["asked"], error) ??
          failureHtml(error, site, reference));
    sendForm(request, response, form, text);
  };
}

/** For addresses where nothing is: a page for browsers, JSON for everyone else. */
export function nothingHere(): RequestHandler {
  return (request, response) => {
    response.vary("Accept");
    // Browsers alone name XHTML; every program gets the envelope, as the contract says of unknown paths.
    const isBrowser = (request.get("accept") ?? "").includes("application/xhtml+xml");
    if (isBrowser && !/^\/(api|mcp|\.well-known)\b/.test(request.path)) response.locals["form"] = "html";
    throw new BoardError("not_found");
  };
}

function failedView(view: View | undefined, asked: Asked | undefined, error: BoardError): string | null {
  if (view?.failed === undefined || asked === undefined || FAILURES[error.code].status !== 400) return null;
  return view.failed(asked, error);
}

/** HTML and Markdown of a page; JSON is left to the operation's own route, unless the page shows several. */
function showing(
  view: View,
  operation: Operation,
  operations: readonly Operation[],
  site: Site,
  parts: RestParts,
): RequestHandler {
  return async (request, response, next) => {
    const form = response.locals["form"] as Form;
    if (form === "json" && view.route !== home.route) {
      next();
      return;
    }
    const tidy = form === "html" ? withoutEmpty(request) : null;
    if (tidy !== null) {
      response.redirect(302, tidy);
      return;
    }
    response.locals["operation"] = operation.name;
    const admission = await parts.calls.admit(operation, credentialsOf(request));
    setLimitHeaders(response, admission.limits);
    const asked = askedOf(request, operation, admission, operations, site, parts);
    Object.assign(response.locals, { view, asked });
    const shown = await view.show(asked);
    parts.answered(operation.name, 200);
    if (typeof shown.nextCursor === "string") addNextLink(request, response, shown.nextCursor);
    const text =
      form === "html" ? shown.html() : form === "markdown" ? shown.markdown() : JSON.stringify(shown.json);
    sendForm(request, response, form, text);
  };
}

function askedOf(
  request: Request,
  shown: Operation,
  admission: Admission,
  operations: readonly Operation[],
  site: Site,
  { calls }: RestParts,
): Asked {
  const sent: Record<string, string> = {};
  for (const [name, given] of Object.entries(request.query)) {
    const value = Array.isArray(given) ? given.filter((each) => each !== "").join(",") : String(given);
    if (value !== "") sent[name] = value;
  }
  const known = Object.keys(shown.input.shape);
  return {
    site,
    params: request.params as Record<string, string>,
    sent,
    query: Object.fromEntries(
      Object.entries(sent)
        .filter(([name]) => known.includes(name))
        .map(([name, value]) => [name, shownText(value)]),
    ),
    now: admission.now,
    async ask(route, input) {
      const operation = operationAt(operations, "GET", route);
      return (await calls.perform(operation, admission, input, "query", false)).body;
    },
  };
}

/** Forms send their empty fields too; a short address can be passed on. Null when nothing is empty. */
function withoutEmpty(request: Request): string | null {
  const sent = sentQuery(request);
  const kept = [...sent].filter(([, value]) => value.trim() !== "");
  if (kept.length === sent.size) return null;
  // Two slashes in front would name another host.
  const path = request.path.replace(/^\/+/, "/");
  return kept.length === 0 ? path : `${path}?${new URLSearchParams(kept)}`;
}

/** Ids carry no dot but that of a suffix; `.ics` and whatever else there is belongs to other routes. */
const skipOtherSuffixes: RequestHandler = (request, _response, next) => {
  next(/\.(?!json$|md$)\w+$/.test(request.path) ? "route" : undefined);
};

function operationAt(operations: readonly Operation[], method: string, path: string): Operation {
  const found = operations.find(({ rest }) => rest.method === method && rest.path === path);
  if (found === undefined) throw new Error(`no operation at ${method} ${path}`);
  return found;
}
