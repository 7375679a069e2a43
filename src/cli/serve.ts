import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Command } from "commander";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { answerBrokenRequests } from "../adapters/http/broken-requests.ts";
import type { Admin } from "../adapters/http/prometheus.ts";
import { buildApp } from "../app.ts";
import { type Config, misspelt, readConfig } from "../config.ts";
import { type OpenBoard, openBoard } from "../open-board.ts";
import { listenError, listenOn } from "./listen.ts";
import { storeAddress } from "./open-store.ts";
import { createProgress, openLogger } from "./output.ts";
import { onStopSignal } from "./program.ts";

/** Makes `agent-board serve`, the default: the board with its listeners, until a signal stops it. */
export function serveCommand(): Command {
  return new Command("serve").action(serve);
}

async function serve(): Promise<void> {
  const config = readConfig(process.env);
  const logger = openLogger(config.logLevel);
  for (const mistake of misspelt(process.env)) logger.warn(mistake);
  const progress = (label: string, total: number) =>
    createProgress(label, total, { line: (text) => logger.info(text) });
  const opening = openBoard(config, { logger, progress });
  const early = stopsWhileOpening(opening, logger);
  const board = await opening;
  const hasModel = config.embeddings !== "required" || (await board.embedder.settled()) === "ready";
  if (early.begun) return new Promise(() => {});
  if (!hasModel) {
    await board.close();
    throw new Error(
      "EMBEDDINGS=required, but the model can be neither loaded nor downloaded; see the lines above.",
    );
  }
  const stopping = new Stopping();
  // Most boards have no listener for metrics: the libraries for them are loaded with it.
  const registry =
    config.adminPort === null ? null : (await import("../adapters/http/measured.ts")).measured(board);
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 20_000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: config.keepAliveS * 1_000,
    },
    buildApp(board, stopping, registry),
  );
  // HTTP lets a server ignore expectations that it does not know; Node answers 417 by itself.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  answerBrokenRequests(server, board.site.manual);
  const admin = registry === null ? null : await openAdmin(registry, server, config, logger);
  await listenOn(server, config.port, config.host);
  if (early.begun) return new Promise(() => {});
  board.start();
  const { port } = server.address() as AddressInfo;
  logger.info(
    { url: board.site.root, address: `${config.host}:${port}`, store: config.storeUrl.split(":")[0] },
    board.isNew ? `the board is open, and new: made in ${storeAddress(config)}` : "the board is open",
  );
  const stop = async (signal: NodeJS.Signals) => {
    logger.info({ signal }, "stopping");
    const endWaits = () => board.services.waits.stop();
    if (!(await stopping.begin(server, { notice: signal !== "SIGINT", endWaits }))) return;
    await admin?.stop();
    await board.close();
    process.exit(0);
  };
  onStopSignal((signal) => void stop(signal));
}

/** A stop waits this long for a board that still opens. An index that is filled then begins again at the next start. */
const OPENING_MS = 20_000;

/**
 * Ends the program with 0 on a signal before the board listens. It waits for the board and closes it: a thread that is ended
 * while it loads the model would abort the process.
 */
function stopsWhileOpening(opening: Promise<OpenBoard>, logger: Logger): { readonly begun: boolean } {
  const state = { begun: false };
  onStopSignal(async (signal) => {
    if (state.begun) return;
    state.begun = true;
    logger.info({ signal }, "stopping");
    const closed = opening.then((board) => board.close()).catch(() => {});
    await Promise.race([closed, sleep(OPENING_MS, undefined, { ref: false })]);
    process.exit(0);
  });
  return state;
}

async function openAdmin(
  registry: Registry,
  server: Server,
  { adminPort, adminHost: host }: Config,
  logger: Logger,
): Promise<Admin> {
  const { measureTimes, startAdmin } = await import("../adapters/http/prometheus.ts");
  const port = adminPort ?? 0;
  measureTimes(server, registry);
  const failed = (err: unknown) => logger.error({ err }, "reading the metrics failed");
  const admin = await startAdmin(registry, { port, host }, failed).catch((error: NodeJS.ErrnoException) => {
    const { message, cause } = listenError(error, port, host);
    throw new Error(message.replaceAll(/\b(?:PORT|HOST)\b/g, "ADMIN_$&"), { cause });
  });
  logger.info({ address: `${host}:${admin.port}` }, "metrics for Prometheus at /metrics");
  return admin;
}

/**
 * This long lies between the fall of readiness and the close of the listener: enough for a load balancer that looks every
 * second.
 */
const NOTICE_MS = 1_500;
/** A stop then waits this long for answers under way. */
const DRAIN_MS = 5_000;

/** Stops a process, once. */
class Stopping {
  #begun = false;

  /** True from the signal on: readiness says so, while requests are still answered. */
  get begun(): boolean {
    return this.#begun;
  }

  /**
   * Lets readiness fall and goes on answering for a while. Then it ends waiting calls, closes the listener and waits for
   * answers under way. Further calls do nothing and resolve to false at once: under `npm start`, Ctrl-C arrives twice, from the
   * terminal and from npm.
   *
   * @param options.notice  false closes the listener at once, for a stop at a terminal
   */
  async begin(server: Server, options: { notice: boolean; endWaits: () => void }): Promise<boolean> {
    if (this.#begun) return false;
    this.#begun = true;
    server.prependListener("request", (_request, response) => response.setHeader("Connection", "close"));
    if (options.notice) await sleep(NOTICE_MS);
    options.endWaits();
    await closed(server);
    return true;
  }
}

async function closed(server: Server): Promise<void> {
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const late = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await new Promise<void>((done) => server.close(() => done()));
  clearInterval(idle);
  clearTimeout(late);
}
