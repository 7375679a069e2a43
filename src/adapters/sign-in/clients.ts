import { hostName } from "../../domain/publishers/hosts.ts";
import type { Outbound } from "../../ports/outbound.ts";

const PUBLIC_CLIENT = {
  application_type: "native",
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};

/**
 * Makes registered clients and described ones the same: public, with a name that fits on one line, and with addresses to go back
 * to that pass `uriRefusal`.
 *
 * @param metadata  what the client says of itself; changed in place
 * @returns why it is refused, or null
 */
export function refusalOfClient(metadata: Record<string, unknown>): string | null {
  const { redirect_uris: uris, client_id, client_id_issued_at, client_name } = metadata;
  if (!Array.isArray(uris)) return "redirect_uris must be a list of addresses";
  for (const [at, uri] of uris.entries()) {
    const refusal = uriRefusal(uri);
    if (refusal !== null) return `redirect_uris[${at}] ${refusal}`;
  }
  for (const name of Object.keys(metadata)) delete metadata[name];
  const said = { client_id, client_id_issued_at, client_name: hostName(client_name) };
  Object.assign(metadata, said, PUBLIC_CLIENT, { redirect_uris: uris.flatMap(withSlash) });
  return null;
}

/** Matches an address without a path: clients register it as it is, and then send it with a slash. */
const withSlash = (uri: string) => (/^https?:\/\/[^/?#]+$/i.test(uri) ? [uri, `${uri}/`] : uri);

const URI_CHARS = 2000;
const HTTPS = /^https:\/\/[\w.-]{1,253}(:\d+)?([/?]|$)/i;
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?([/?]|$)/i;
/** These may stand in an address (RFC 3986), after a scheme and a slash. */
const OF_AN_APP = /^[a-z][a-z0-9+.-]*:\/[\w\-.~:/?[\]@!$&'()*+,;=%]*$/i;

/** Browsers and systems open something of their own by these schemes: an answer sent there would run, or reach, anything. */
const TAKEN =
  /^(about|blob|chrome|chrome-extension|content|data|edge|feed|file|filesystem|ftps?|gopher|ldaps?|intent|jar|javascript|livescript|mailto|mocha|moz-extension|ms-.*|resource|search-ms|search|shell|sms|smb|ssh|telnet|tel|vbscript|view-source|wss?)$/;

/**
 * Tells why a sign-in may not end at this address, as the rest of a sentence; null when it may: https, http on the person's
 * machine, or an app's own scheme (RFC 8252, section 7). Apps choose reverse domain names, as they should, or single words
 * as `cursor:`.
 */
function uriRefusal(uri: unknown): string | null {
  if (typeof uri !== "string" || uri.length > URI_CHARS)
    return `must be an address of at most ${URI_CHARS} characters`;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1]?.toLowerCase();
  if (scheme === undefined) return "must be a whole address, such as https://host.example/callback";
  if (uri.includes("#")) return "may have no fragment (#)";
  if (scheme === "https") return HTTPS.test(uri) ? null : "must name a plain host after https://";
  if (scheme === "http")
    return LOOPBACK.test(uri) ? null : "may use http on localhost, 127.0.0.1 and [::1] only; elsewhere https";
  if (TAKEN.test(scheme)) return "has a scheme of browsers or systems; an app needs one of its own";
  return OF_AN_APP.test(uri)
    ? null
    : "must have a slash after the scheme, such as com.example.app:/callback, and no character that an address cannot hold";
}

/** Fetches a client's document through the outgoing guard: from public addresses alone, in one short answer. */
export async function fetchDocument(outbound: Outbound, url: string): Promise<globalThis.Response> {
  const bounds = { maxBytes: 5 * 1024, timeoutMs: 3_000, exemptions: false };
  const { status, headers, body } = await outbound.send({ method: "GET", url, ...bounds });
  const answer = new globalThis.Response(status === 200 ? new Uint8Array(body) : null, { status });
  // The document is kept as long as these say.
  for (const name of ["cache-control", "expires"])
    if (typeof headers[name] === "string") answer.headers.set(name, headers[name]);
  return answer;
}
