import { type ParsedUrlQuery, parse } from "node:querystring";
import type { Request, Response } from "express";

/** Longer addresses stay out of headers: clients and proxies limit their size. */
const ADDRESS_CHARS = 1_500;

/** Adds an address to the `Link` header (RFC 8288), unless it is too long for one. */
export function addLink(response: Response, address: string, relation: string, type?: string): void {
  if (address.length > ADDRESS_CHARS) return;
  const target = address.replace(/[<>"\s]/g, encodeURIComponent);
  response.append("Link", `<${target}>; rel="${relation}"${type === undefined ? "" : `; type="${type}"`}`);
}

/** Adds the next page to the `Link` header: the same request with another cursor. */
export function addNextLink(request: Request, response: Response, cursor: string): void {
  const query = sentQuery(request);
  query.set("cursor", cursor);
  addLink(response, `${request.baseUrl}${request.path}?${query}`, "next");
}

/**
 * Reads a query: names such as `kind[]` and `kind[0]`, which some languages write for lists, are `kind`; an empty value
 * counts as none, except that `q` may be empty.
 */
export function readQuery(sent: string | null): ParsedUrlQuery {
  const plain = (sent ?? "").replace(/(?:\[|%5B)\d*(?:\]|%5D)(?==)/gi, "");
  return Object.fromEntries(
    Object.entries(parse(plain)).filter(([name, value]) => value !== "" || name === "q"),
  );
}

/** The query as sent. It starts at the first question mark and may contain others. */
export function sentQuery(request: Request): URLSearchParams {
  const start = request.originalUrl.indexOf("?");
  return new URLSearchParams(start === -1 ? "" : request.originalUrl.slice(start));
}
