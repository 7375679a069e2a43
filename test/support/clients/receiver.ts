import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that reached a webhook. */
export interface Received {
  /** Of the URL, with its query. */
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** What a webhook answers. */
export interface Response {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  delayMs?: number;
  /** The answer waits until this resolves. */
  after?: Promise<unknown>;
}

/** A webhook on a free port of 127.0.0.1. A board calls it with `WEBHOOK_ALLOW=127.0.0.1`. */
export async function startReceiver(answer: (request: Received) => Response): Promise<{
  url: string;
  received: Received[];
  stop(): Promise<void>;
}> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const arrived = {
      path: request.url ?? "",
      headers: request.headers,
      body: Buffer.concat(chunks).toString("utf8"),
    };
    received.push(arrived);
    const { status = 200, headers = {}, body = "", delayMs = 0, after } = answer(arrived);
    await after;
    setTimeout(() => response.writeHead(status, headers).end(body), delayMs);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
