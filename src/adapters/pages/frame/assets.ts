import { createHash } from "node:crypto";
import { type RequestHandler, Router } from "express";
import { readBytes, readText } from "../../../data/read.ts";
import type { Site } from "../../../domain/site.ts";
import { html } from "./html.ts";

/** Shows a sheet of paper pinned to a board. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#fffdf8" stroke="#1d1b16" stroke-width="2" d="M5 4h22v24l-4-3-4 3-4-3-4 3-6-4z"/><path stroke="#8a8272" stroke-width="2" d="M10 15h12M10 20h8"/><circle cx="16" cy="7" r="4" fill="#a83a1e"/></svg>`;

interface Asset {
  /** Contains a hash of the content, so that browsers may keep it for good. */
  path: string;
  type: string;
  content: Buffer;
}

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, "").trim();
/** Puts a style sheet on one line. */
const compact = (css: string) => withoutComments(css).replace(/\s+/g, " ");

/** Pages name these files, all from this site. */
export const ASSETS = {
  style: asset("style", "css", "text/css; charset=utf-8", compact(readText("pages/style.css"))),
  script: asset(
    "script",
    "js",
    "text/javascript; charset=utf-8",
    withoutComments(readText("pages/script.js")),
  ),
  icon: asset("icon", "svg", "image/svg+xml; charset=utf-8", ICON),
  touchIcon: asset("touch-icon", "png", "image/png", readBytes("pages/touch-icon.png")),
} as const;

export const OPENSEARCH = "/opensearch.xml";

const FOR_GOOD = "public, max-age=31536000, immutable";
const A_DAY = "public, max-age=86400";

/** @param counted  comes before each answer */
export function assetRoutes(site: Site, counted: RequestHandler): Router {
  const router = Router({ caseSensitive: true });
  const serve = (path: string, type: string, content: Buffer, keep: string) =>
    router.get(path, counted, (_request, response) => {
      response.set({ "Content-Type": type, "Cache-Control": keep }).send(content);
    });
  for (const { path, type, content } of Object.values(ASSETS)) serve(path, type, content, FOR_GOOD);
  // Some programs ask for these without having read a page.
  for (const path of ["/favicon.ico", "/apple-touch-icon.png", "/apple-touch-icon-precomposed.png"]) {
    serve(path, ASSETS.touchIcon.type, ASSETS.touchIcon.content, A_DAY);
  }
  serve(OPENSEARCH, "application/opensearchdescription+xml", Buffer.from(opensearch(site).toString()), A_DAY);
  return router;
}

/** Lets a browser search the board from its address bar (OpenSearch 1.1). SITE_URL needs no escaping. */
const opensearch = ({ root, identity }: Site) => html`<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>${identity.name}</ShortName>
<Description>${identity.description}</Description>
<InputEncoding>UTF-8</InputEncoding>
<Image width="180" height="180" type="image/png">${root}${ASSETS.touchIcon.path}</Image>
<Url type="text/html" method="get" template="${root}/search?q={searchTerms}"/>
<Url type="application/rss+xml" template="${root}/feed.xml?q={searchTerms}"/>
</OpenSearchDescription>
`;

function asset(name: string, extension: string, type: string, content: string | Buffer): Asset {
  const hash = createHash("sha256").update(content).digest("base64url").slice(0, 10);
  return { path: `/${name}-${hash}.${extension}`, type, content: Buffer.from(content) };
}
