import express, { type Express, type RequestHandler } from "express";
import helmet from "helmet";
import type { Registry } from "prom-client";
import { discoveryRoutes } from "./adapters/discovery/index.ts";
import { feedRoutes } from "./adapters/feeds/index.ts";
import { compressed, failureHandler } from "./adapters/http/answers.ts";
import { boundedInFlight, countedAsRead, readQuery, requestLog } from "./adapters/http/requests.ts";
import { openCors, restRouter } from "./adapters/http/rest.ts";
import { mcpRouter } from "./adapters/mcp/http/index.ts";
import { healthOf } from "./adapters/operator/health.ts";
import { operateRoutes } from "./adapters/operator/index.ts";
import { failurePage, nothingHere, pagesRouter } from "./adapters/pages/index.ts";
import type { OpenBoard } from "./open-board.ts";
import type { Readiness } from "./schema/board.ts";

/** Makes the Express app of an open board: REST, MCP, pages, feeds, manual and health. */
export function buildApp(
  board: OpenBoard,
  stopping: { readonly begun: boolean } = { begun: false },
  registry: Registry | null = null,
): Express {
  const { dispatcher, logger, catalog, site, config } = board;
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.set("trust proxy", config.trustProxy);
  app.set("query parser", readQuery);
  app.use(requestLog(logger));
  app.use(securityHeaders());
  app.use(boundedInFlight());
  app.use(compressed());
  app.get("/healthz", (_request, response) => void response.json({ ok: true }));
  app.get("/readyz", readiness(board, stopping));
  app.options("/{*any}", countedAsRead(dispatcher));
  app.use(mcpRouter(board));
  if (board.operator !== null) {
    const { moderation } = board.services;
    app.use(
      operateRoutes({ ...board, access: board.operator, moderation, health: healthOf(board, registry) }),
    );
  }
  app.use(openCors);
  if (board.signIn !== null) app.use(board.signIn.router);
  app.use("/api/v1", restRouter(catalog.operations, dispatcher));
  app.use(discoveryRoutes(board));
  app.use(feedRoutes({ ...board, operations: catalog.operations }));
  app.use(pagesRouter(catalog.operations, site, dispatcher));
  app.use(nothingHere());
  app.use(failureHandler(board, failurePage(site)));
  return app;
}

/** Answers 200 as soon as store and index serve, until a stop begins; the model may still be loading. */
function readiness(board: OpenBoard, stopping: { readonly begun: boolean }): RequestHandler {
  return async (_request, response) => {
    const database = await board.store.ping().catch(() => null);
    const store = database?.unwritable === null;
    const index = board.index.ready();
    const ok = store && index && !stopping.begun;
    const answer: Readiness = {
      ok,
      store,
      index,
      reading: index && database !== null,
      writing: store && !stopping.begun,
      search: board.searchState(),
      model: board.embedder.state(),
      stopping: stopping.begun,
    };
    response
      .status(ok ? 200 : 503)
      .set("Cache-Control", "no-store")
      .json(answer);
  };
}

function securityHeaders(): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    crossOriginResourcePolicy: { policy: "cross-origin" },
    // A board on plain http in a private network must stay reachable. A TLS proxy adds its own header.
    strictTransportSecurity: false,
    referrerPolicy: { policy: "no-referrer" },
  });
}
