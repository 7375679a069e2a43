import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import type { Site } from "../../domain/site.ts";
import { SERVER } from "./server.ts";

/** The revision without a handshake. The SDK negotiates it, but does not list it as supported. */
const STATELESS_REVISION = "2026-07-28";

/**
 * A server card (SEP-2127): how to connect to the tool server, for clients that know only its address. It lists no
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
    remotes: [
      {
        type: "streamable-http",
        url: site.mcp,
        supportedProtocolVersions: [STATELESS_REVISION, ...SUPPORTED_PROTOCOL_VERSIONS],
        headers: [
          {
            name: "Authorization",
            description: "`Bearer <api_key>`, to write. Reading needs no key.",
            isRequired: false,
            isSecret: true,
          },
        ],
      },
    ],
  };
}

/** `board.example` → `example.board`. */
function reversed(site: Site): string {
  const { hostname } = new URL(site.root);
  const isName = /[a-z]/i.test(hostname) && !hostname.startsWith("[");
  if (!isName) return hostname.replace(/[^\da-f.]+/gi, "-").replace(/^-|-$/g, "");
  return hostname.split(".").reverse().join(".");
}
