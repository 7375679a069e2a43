import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Board } from "../../domain/board/index.ts";
import type { Usage } from "../../domain/board/usage.ts";
import type { Waits } from "../../domain/subscriptions/waits.ts";
import type { Embedder } from "../../ports/embedder.ts";
import type { Store, WorkKind } from "../../ports/store/index.ts";
import { hasRested } from "./requests.ts";

/** The parts of a board that are measured. */
interface MeasuredBoard {
  store: Store;
  embedder: Embedder;
  services: { board: Board; waits: Waits };
  usage: Usage;
  held: () => { queries: number; bytes: number };
  clock: () => number;
}

const WORK: readonly WorkKind[] = ["match", "embed"];
const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/**
 * Measures a board for Prometheus: answers by operation and status, waiting work, the size of the board, and the
 * process.
 */
export function measured(board: MeasuredBoard): Registry {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const answers = new Counter({
    name: "board_answers_total",
    help: "Answers by operation and status; tools of the MCP server as tool:NAME.",
    labelNames: ["operation", "status"],
    registers,
  });
  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await read());
      },
    });
  const meta = () => board.services.board.meta(board.clock());
  gauge(
    "board_posts_active",
    "Posts and replies neither expired nor removed.",
    async () => (await meta()).active_posts,
  );
  gauge("board_publishers", "Registered publishers.", async () => (await meta()).publishers);
  new Gauge({
    name: "board_work_waiting",
    help: "Posts that wait to be matched or embedded.",
    labelNames: ["kind"],
    registers,
    async collect() {
      for (const kind of WORK) this.set({ kind }, await board.store.work.backlog(kind));
    },
  });
  gauge(
    "board_saved_queries_held",
    "Saved queries that this process keeps in memory to match them.",
    () => board.held().queries,
  );
  gauge("board_saved_queries_bytes", "About how much memory these take.", () => board.held().bytes);
  gauge("board_calls_waiting", "Calls that wait for a match.", () => board.services.waits.count);
  gauge("board_model_ready", "1 when texts can be embedded.", () =>
    board.embedder.state() === "ready" ? 1 : 0,
  );
  board.usage.listen((operation, status) => answers.inc({ operation, status }));
  return registry;
}

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

/** The operator's listener. */
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
