import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Histogram, type Registry } from "prom-client";
import { SECONDS } from "./measured.ts";
import { hasRested } from "./requests.ts";

/** Measures the time of every answer that did not wait for news, from the request's head to the end of the answer. */
export function measureTimes(server: Server, registry: Registry): void {
  const times = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time to answer, by method and first digit of the status.",
    labelNames: ["method", "status"],
    buckets: SECONDS,
    registers: [registry],
  });
  server.prependListener("request", (request, response) => {
    const end = times.startTimer({ method: METHODS.find((method) => method === request.method) ?? "other" });
    response.once("close", () => {
      if (!hasRested(response)) end({ status: `${Math.floor(response.statusCode / 100)}xx` });
    });
  });
}

const METHODS = ["GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS"];

const LOOPBACK = /^(127\.0\.0\.1|localhost|::1|\[::1\])(:\d+)?$/;

export interface Admin {
  port: number;
  stop(): Promise<void>;
}

/**
 * Serves `GET /metrics` for the operator alone, beside the public listener.
 * @param at.port  0 takes a free port
 * @param at.host  the address to listen on; only this machine can ask one such as 127.0.0.1
 */
export async function startAdmin(
  registry: Registry,
  at: { port: number; host: string },
  failed: (error: unknown) => void,
): Promise<Admin> {
  const server = createServer(async (request, response) => {
    // Otherwise a web page could rebind its own name to 127.0.0.1 and read the metrics. Elsewhere they are asked by any name.
    if (LOOPBACK.test(at.host) && !LOOPBACK.test(request.headers.host ?? "")) {
      response.writeHead(403).end();
      return;
    }
    if (request.method !== "GET" || request.url?.split("?")[0] !== "/metrics") {
      response.writeHead(404, { "Content-Type": "text/plain" }).end("See /metrics.\n");
      return;
    }
    try {
      const text = await registry.metrics();
      response.writeHead(200, { "Content-Type": registry.contentType }).end(text);
    } catch (error) {
      failed(error);
      response.writeHead(503).end();
    }
  });
  server.listen(at.port, at.host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      registry.clear();
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
