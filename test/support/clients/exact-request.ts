import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";

/**
 * Sends one request with exactly these headers, and leaves the answer as it comes: `fetch` sets `Host`, adds an `Accept`,
 * and decodes what it gets.
 */
export async function exactRequest(
  url: string,
  { body, ...options }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: Buffer }> {
  const [answer] = (await once(request(url, options).end(body), "response")) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
}
