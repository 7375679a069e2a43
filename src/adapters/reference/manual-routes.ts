import { type RequestHandler, Router } from "express";
import type { Site } from "../../domain/site.ts";
import { sentAsNotModified, tagOf } from "../http/etag.ts";
import { type Documented, manualText } from "./manual.ts";
import { openApiDocument } from "./openapi.ts";

/**
 * `/llms.txt` and `/openapi.json`. Both change only with the program, and are built once.
 * @param counted  comes before each answer
 */
export function manualRoutes(catalog: Documented, site: Site, counted: RequestHandler): Router {
  const router = Router({ caseSensitive: true });
  router.get("/llms.txt", counted, fixed("text/plain; charset=utf-8", manualText(catalog, site)));
  const document = JSON.stringify(openApiDocument(catalog, site));
  router.get("/openapi.json", counted, fixed("application/json; charset=utf-8", document));
  return router;
}

/** Serves a text that never changes while the process runs; 304 to a caller that has it. */
function fixed(type: string, text: string): RequestHandler {
  const tag = tagOf(text);
  return (request, response) => {
    response.set("Cache-Control", "public, max-age=300");
    if (!sentAsNotModified(request, response, tag)) response.set("Content-Type", type).send(text);
  };
}
