import { startHttpServer } from "../run/http-server.ts";

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
  const server = await startHttpServer(async (request, response) => {
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
  return { url: `${server.origin}/hook`, received, stop: server.close };
}
