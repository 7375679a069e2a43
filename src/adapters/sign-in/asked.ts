import type { IncomingMessage } from "node:http";
import { stringify } from "node:querystring";
import { Readable } from "node:stream";
import type { Request } from "express";
import { parseUrl } from "../../platform/parse-url.ts";

/** A host may ask for one thing: to use the tools as a publisher. */
export const SCOPE = "board";

/** The library refuses these parameters of OpenID without OpenID itself. A host that sends them signs in all the same. */
const OF_OPENID = ["acr_values", "claims_locales", "id_token_hint", "max_age", "nonce"];

/**
 * Reads what a host asks the authorization endpoint for, as it is meant here: the one scope there is, and a person who
 * decides, as at every sign-in (`prompt` says so, or asks for none, which is refused).
 */
export function authorizationAsked(sent: URLSearchParams, resource: string): URLSearchParams {
  const asked = new URLSearchParams(sent);
  for (const name of OF_OPENID) asked.delete(name);
  asked.set("scope", SCOPE);
  if (asked.getAll("prompt").join(" ").split(" ").includes("none")) asked.set("prompt", "none");
  else asked.delete("prompt");
  // The library would post a form to the host, which the policy of our pages forbids. A mode without a name is refused.
  if (asked.getAll("response_mode").includes("form_post")) asked.set("response_mode", "unsupported");
  const resources = resourcesMeant(asked.getAll("resource"), resource);
  asked.delete("resource");
  for (const each of resources) asked.append("resource", each);
  return asked;
}

/** Reads a request for tokens as it is meant: without a scope, so that a renewal gets the one that the sign-in has. */
export function tokensAsked(
  fields: Record<string, string | string[]>,
  resource: string,
): Record<string, string | string[]> | null {
  const { scope: _, resource: named = [], ...asked } = fields;
  const resources = resourcesMeant([named].flat(), resource);
  if (resources.some((each) => each !== resource)) return null;
  return resources.length === 0 ? asked : { ...asked, resource };
}

/** Names ours in our own spelling: a slash at its end, or its host in other letters, make it no other (RFC 3986, 6.2). */
const resourcesMeant = (named: readonly string[], resource: string): string[] =>
  named.filter((each) => each !== "").map((each) => (isSame(each, resource) ? resource : each));

function isSame(named: string, resource: string): boolean {
  return parseUrl(named)?.href.replace(/\/+$/, "") === parseUrl(resource)?.href;
}

/** Puts another form into the body of the request: the library reads the body itself. */
export function withForm(request: Request, fields: Record<string, string | string[]>): IncomingMessage {
  const body = Buffer.from(stringify(fields));
  const { "transfer-encoding": _, ...headers } = request.headers;
  return Object.assign(Readable.from([body], { objectMode: false }), {
    headers: { ...headers, "content-length": String(body.length) },
    method: request.method,
    url: request.url,
    socket: request.socket,
  }) as unknown as IncomingMessage;
}
