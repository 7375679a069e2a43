import type { Request, RequestHandler, Response } from "express";
import type { Site } from "../../domain/site.ts";
import { addLink, sendTagged } from "./answers.ts";
import { sentQuery } from "./requests.ts";

/** Every page has these three forms. */
export type Form = "html" | "json" | "markdown";

const FORMS = [
  { form: "html", type: "text/html", suffix: "" },
  { form: "json", type: "application/json", suffix: ".json" },
  { form: "markdown", type: "text/markdown", suffix: ".md" },
] as const satisfies readonly { form: Form; type: string; suffix: string }[];

/** Finds the form a caller wants, by the suffix of the path or else by `Accept`. */
function formOf(request: Request): Form {
  const bySuffix = FORMS.find(({ suffix }) => suffix !== "" && request.path.endsWith(suffix));
  if (bySuffix !== undefined) return bySuffix.form;
  const accepted = request.accepts(FORMS.map(({ type }) => type));
  return FORMS.find(({ type }) => type === accepted)?.form ?? "html";
}

/** Leaves out the parameters of the types of an `Accept` header, such as `charset=utf-8`: only their weights choose a form. */
const withoutParameters = (accept: string | undefined) =>
  accept?.replace(/;(?!\s*q\s*=)[^,;"]*(?:"(?:[^"\\]|\\.)*"[^,;"]*)*/gi, "");

/**
 * Puts the form into `response.locals["form"]`, and sets `Vary` and `Link`. The links name the other forms, the manual
 * and the API's description.
 */
export function negotiate(site: Site): RequestHandler {
  return (request, response, next) => {
    request.headers.accept = withoutParameters(request.headers.accept);
    const form = formOf(request);
    response.locals["form"] = form;
    response.vary("Accept");
    const plain = withoutSuffix(request.path);
    const query = sentQuery(request);
    for (const { suffix, type } of FORMS.filter((each) => each.form !== form)) {
      const path = suffix === "" ? plain : formPath(plain, suffix);
      addLink(response, `${site.root}${path}${query.size === 0 ? "" : `?${query}`}`, "alternate", type);
    }
    addLink(response, site.manual, "describedby", "text/plain");
    addLink(response, `${site.root}/openapi.json`, "service-desc", "application/json");
    next();
  };
}

/** Gives the path of another form of a page: `/p/x` → `/p/x.md`; the home page is `/index.md`. */
export function formPath(path: string, suffix: ".json" | ".md"): string {
  return `${path === "/" ? "/index" : path}${suffix}`;
}

/** Every path the router needs for a page: its own, and those with a suffix. */
export function pathsOf(path: string): string[] {
  // A parameter at the end also matches the suffix; ids are parsed without it.
  if (/:\w+$/.test(path)) return [path];
  return [path, formPath(path, ".json"), formPath(path, ".md")];
}

/** Sends one form of a page with its weak tag, or 304. HTML gets its own content policy. */
export function sendForm(request: Request, response: Response, form: Form, text: string): void {
  const type = FORMS.find((each) => each.form === form)?.type ?? "text/plain";
  if (form === "html") {
    setPagePolicy(response);
    response.vary("Accept-Language");
  }
  response.vary("Authorization");
  sendTagged(request, response, { type: `${type}; charset=utf-8`, text, keep: "no-cache" });
}

/** Allows the site's own style, script and icon, and forms and requests of the script to this site; nothing else. */
const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

export function setPagePolicy(response: Response): void {
  response.set("Content-Security-Policy", PAGE_POLICY);
}

/** Gives the path of the page as HTML. Also drops a trailing slash, which the router ignores. */
function withoutSuffix(path: string): string {
  const plain = path.replace(/(\.(json|md))?\/?$/, "");
  return plain === "" || plain === "/index" ? "/" : plain;
}
