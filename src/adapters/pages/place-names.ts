import { type RequestHandler, Router } from "express";
import { BoardError } from "../../board/failures.ts";
import { BEGUN_CHARS, placeSuggestions } from "../../schema/place.ts";
import { sendTagged } from "../http/answers.ts";

/** The gazetteer changes only with the program. */
const KEEP = "public, max-age=86400";

/**
 * `GET /places?q=ber` answers `{ "places": [{ "label", "country", "lat", "lng" }] }`, for a box that completes names of
 * places while a person types. `near` takes each label. Agents need no such list, so the manual leaves it out. Without
 * `q` it is the page of places.
 *
 * @param counted  comes before each answer
 */
export function placeRoutes(counted: RequestHandler): Router {
  const router = Router({ caseSensitive: true });
  const suggesting: RequestHandler = (request, _response, next) =>
    next(request.query["q"] === undefined ? "route" : undefined);
  router.get("/places", suggesting, counted, (request, response) => {
    const places = placeSuggestions(begunName(request.query["q"]));
    const text = JSON.stringify({ places });
    sendTagged(request, response, { type: "application/json; charset=utf-8", text, keep: KEEP });
  });
  return router;
}

/** @throws BoardError `invalid_query` unless it is one text of a bearable length */
function begunName(sent: unknown): string {
  if (typeof sent === "string" && sent.length <= BEGUN_CHARS) return sent;
  const message = `Must be the beginning of a place's name, at most ${BEGUN_CHARS} characters.`;
  throw new BoardError("invalid_query", {
    issues: [{ path: "q", code: "invalid_format", message }],
    hint: "Send for example /places?q=ber.",
  });
}
