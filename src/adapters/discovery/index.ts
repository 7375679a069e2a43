import { type RequestHandler, Router } from "express";
import { BoardError } from "../../board/failures.ts";
import type { Catalog } from "../../board/operation.ts";
import { isoTime } from "../../domain/resources.ts";
import type { Site } from "../../domain/site.ts";
import { once } from "../../platform/once.ts";
import { DAY_MS } from "../../platform/time.ts";
import type { Dispatcher } from "../calls/dispatcher.ts";
import { addLink, sendTagged } from "../http/answers.ts";
import { countedAsRead } from "../http/requests.ts";
import { fullManual } from "../reference/docs-markdown.ts";
import { manualText } from "../reference/manual.ts";
import { openApiDocument } from "../reference/openapi.ts";
import { boardSkill, skillsOf } from "../reference/skills.ts";
import { aiCatalog, apiCatalog, serverCard, skillIndex } from "./catalogs.ts";
import { type SitemapParts, sitemap } from "./sitemap.ts";

/** RFC 9116 asks for less than a year; the date moves on every day. */
const SECURITY_DAYS = 180;
const HOUR_S = 3_600;

interface DiscoveryParts extends SitemapParts {
  dispatcher: Dispatcher;
  catalog: Catalog;
  config: { contact: string | null; aiTraining: boolean };
}

/**
 * Serves what crawlers, scanners and agents look for on a board they do not know: robots.txt, sitemap, security.txt,
 * catalogs, the card of the tool server, skills, the manual, and OpenAPI. What changes only with the program is made once,
 * for the first that asks. Any other well-known address is a JSON 404: after HTML, or anything about OAuth, clients would ask
 * for a login that does not exist.
 */
export function discoveryRoutes(parts: DiscoveryParts): Router {
  const { catalog, site, config, clock } = parts;
  const router = Router({ caseSensitive: true });
  const counted = countedAsRead(parts.dispatcher);
  const skills = skillsOf(catalog, site);
  const get = (path: string, type: string, make: () => string, maxAgeS = HOUR_S) => {
    const text = once(make);
    router.get(
      path,
      counted,
      answer(type, async () => text(), maxAgeS),
    );
  };
  const json = (path: string, type: string, make: () => unknown, maxAgeS?: number) =>
    get(path, type, () => JSON.stringify(make()), maxAgeS);

  get("/robots.txt", TEXT, () => robots(site, config.aiTraining));
  for (const path of ["/mcp/server-card", "/.well-known/mcp/server-card.json"])
    json(path, "application/mcp-server-card+json", () => serverCard(site));
  json("/.well-known/ai-catalog.json", "application/ai-catalog+json", () => aiCatalog(site, skills));
  router.get(API_CATALOG, (_request, response, next) => {
    // HEAD gets it too (RFC 9727, 2).
    addLink(response, site.root + API_CATALOG, "api-catalog");
    next();
  });
  json(API_CATALOG, LINKSET, () => apiCatalog(site));
  json("/.well-known/agent-skills/index.json", JSON_TYPE, () => skillIndex(skills));
  for (const { name, text } of skills) get(`/skills/${name}/SKILL.md`, MARKDOWN, () => text);
  get("/skill.md", MARKDOWN, () => boardSkill(skills, site));
  get("/llms.txt", TEXT, () => manualText(catalog, site), 300);
  json("/openapi.json", JSON_TYPE, () => openApiDocument(catalog, site), 300);
  get("/llms-full.txt", TEXT, () => fullManual(catalog, site), 300);
  const { contact } = config;
  if (contact !== null) {
    const file = answer(TEXT, async () => securityText(contact, site, clock()), HOUR_S);
    for (const path of ["/.well-known/security.txt", "/security.txt"]) router.get(path, counted, file);
  }
  router.use("/.well-known", () => {
    throw new BoardError("not_found");
  });

  router.get("/sitemap.xml", counted, answer(XML, sitemap(parts), 600));
  return router;
}

const API_CATALOG = "/.well-known/api-catalog";
const TEXT = "text/plain; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";
const MARKDOWN = "text/markdown; charset=utf-8";
const XML = "application/xml; charset=utf-8";
const LINKSET = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

const answer =
  (type: string, textNow: () => Promise<string>, maxAgeS: number): RequestHandler =>
  async (request, response) =>
    sendTagged(request, response, { type, text: await textNow(), keep: `public, max-age=${maxAgeS}` });

/** Everything may be read; the signals (contentsignals.org) say for what use. */
function robots(site: Site, aiTraining: boolean): string {
  return `# Agents are welcome: see ${site.manual}
User-agent: *
Content-Signal: search=yes, ai-input=yes, ai-train=${aiTraining ? "yes" : "no"}
Allow: /

Sitemap: ${site.root}/sitemap.xml
`;
}

/** Writes it by RFC 9116. */
function securityText(contact: string, site: Site, now: number): string {
  const expires = now - (now % DAY_MS) + SECURITY_DAYS * DAY_MS;
  return `Contact: ${contact}
Expires: ${isoTime(expires)}
Preferred-Languages: en
Canonical: ${site.root}/.well-known/security.txt
`;
}
