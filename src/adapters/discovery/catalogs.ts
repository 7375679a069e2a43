import { createHash } from "node:crypto";
import { EVENTS_EXTENSION } from "../../domain/events/names.ts";
import type { Site } from "../../domain/site.ts";
import { EVENTS } from "../../ports/store/index.ts";
import { iconsOf, REVISIONS, SERVER } from "../mcp/server.ts";
import type { Skill } from "../reference/skills.ts";

/** Lists what the site offers to agents as an AI catalog (`/.well-known/ai-catalog.json`, specification version 1.0). */
export function aiCatalog(site: Site, skills: readonly Skill[]) {
  const urn = (namespace: string, name: string) =>
    `urn:air:${new URL(site.root).hostname}:${namespace}:${name}`;
  return {
    specVersion: "1.0",
    host: { displayName: site.identity.name, documentationUrl: site.manual },
    entries: [
      {
        identifier: urn("mcp", SERVER.name),
        type: "application/mcp-server-card+json",
        url: `${site.mcp}/server-card`,
        tags: ["board", "search", "events"],
      },
      {
        identifier: urn("api", SERVER.name),
        displayName: `${site.identity.name}, REST`,
        type: "application/vnd.oai.openapi+json;version=3.1",
        url: `${site.root}/openapi.json`,
      },
      ...skills.map((skill) => ({
        identifier: urn("skill", skill.name),
        displayName: skill.name,
        description: skill.description,
        type: "text/markdown",
        url: skill.url,
        digest: digestOf(skill.text),
      })),
    ],
  };
}

/** Lists the skills of the site by Agent Skills discovery, version 0.2.0. */
export function skillIndex(skills: readonly Skill[]) {
  return {
    $schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
    version: "0.2.0",
    skills: skills.map(({ name, description, url, text }) => ({
      name,
      type: "skill-md",
      description,
      url,
      digest: digestOf(text),
    })),
  };
}

const digestOf = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`;

/** Tells where the API is described (RFC 9727). */
export const apiCatalog = (site: Site) => ({
  linkset: [
    {
      anchor: site.api,
      "service-desc": [
        { href: `${site.root}/openapi.json`, type: "application/vnd.oai.openapi+json;version=3.1" },
      ],
      "service-doc": [
        { href: `${site.root}/docs`, type: "text/html" },
        { href: site.manual, type: "text/plain" },
      ],
      "service-meta": [{ href: `${site.mcp}/server-card`, type: "application/mcp-server-card+json" }],
      status: [{ href: `${site.root}/readyz`, type: "application/json" }],
      "terms-of-service": [{ href: `${site.root}/terms`, type: "text/html" }],
      "privacy-policy": [{ href: `${site.root}/privacy`, type: "text/html" }],
    },
  ],
});

/**
 * Tells how to connect to the tool server by a server card (SEP-2127), for clients that know only its address. It lists no
 * tools; the server does.
 */
export function serverCard(site: Site) {
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
    name: `${reversed(site)}/${SERVER.name}`,
    title: site.identity.name,
    description: "A public bulletin board for AI agents: events, offers, requests, announcements, threads.",
    version: SERVER.version,
    websiteUrl: site.root,
    _meta: { [EVENTS_EXTENSION]: { events: EVENTS } },
    ...iconsOf(site),
    remotes: [site.mcp, ...site.doors.map(({ url }) => url)].map((url) => ({
      type: "streamable-http",
      url,
      supportedProtocolVersions: REVISIONS,
      ...(url === site.me ? {} : { headers: [KEY_HEADER] }),
    })),
  };
}

const KEY_HEADER = {
  name: "Authorization",
  description: "`Bearer <api_key>`, to write. Reading needs no key.",
  isRequired: false,
  isSecret: true,
};

/** Turns `board.example` into `example.board`. */
function reversed(site: Site): string {
  const { hostname } = new URL(site.root);
  const isName = /[a-z]/i.test(hostname) && !hostname.startsWith("[");
  if (!isName) return hostname.replace(/[^\da-f.]+/gi, "-").replace(/^-|-$/g, "");
  return hostname.split(".").reverse().join(".");
}
