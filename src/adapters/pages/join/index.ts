import { Router } from "express";
import type { Operation } from "../../../board/operation.ts";
import type { Site } from "../../../domain/site.ts";
import type { Dispatcher } from "../../calls/dispatcher.ts";
import { countedAsRead } from "../../http/requests.ts";
import {
  addedFields,
  filledFields,
  formBody,
  isFromElsewhere,
  mendable,
  sendAnswer,
} from "../frame/posted-form.ts";
import { ACTIONS } from "./actions.ts";
import { ROUTES, type Route, SentForm } from "./form.ts";
import { FOREIGN, joinHtml } from "./pages.ts";

const FORM_FIELDS = [
  "do",
  "api_key",
  "accept_terms",
  "confirm",
  "once",
  ...Object.values(ACTIONS).flatMap(({ fields }) => fields),
];

/** At `/join` a person gets a key, and looks after a publisher with one. */
export function joinRoutes(
  operationAt: (method: string, path: string) => Operation,
  site: Site,
  dispatcher: Dispatcher,
): Router {
  const router = Router({ caseSensitive: true });
  const operations = new Map(
    ROUTES.map((route) => {
      const [method = "", path = ""] = route.split(" ");
      return [route, operationAt(method, path)];
    }),
  );
  const operationOf = (route: Route) => operations.get(route) as Operation;
  const counted = countedAsRead(dispatcher);
  router.get("/join", counted, (_request, response) => {
    sendAnswer(response, 200, joinHtml(site, { now: dispatcher.now }));
  });
  // The page that answers counts too: a form that is shown again reaches no operation.
  router.post("/join", counted, formBody, async (request, response) => {
    response.locals["form"] = "html";
    const { body } = request;
    const { do: asked = "", api_key: key } = filledFields(body, ["do", "api_key"]);
    const name = Object.hasOwn(ACTIONS, asked) ? (asked as keyof typeof ACTIONS) : "register";
    const filled = filledFields(body, ACTIONS[name].fields);
    const formAgain = { now: dispatcher.now, sent: name === "register" ? filled : {} };
    if (isFromElsewhere(request))
      return sendAnswer(response, 200, joinHtml(site, { ...formAgain, notice: FOREIGN }));
    const apiKey = name === "register" ? null : (key?.trim() ?? null);
    const sent = { filled, added: addedFields(body, FORM_FIELDS), body, apiKey };
    const form = new SentForm(sent, { request, response, dispatcher, site, operationOf });
    try {
      const { status, page } = await ACTIONS[name].does(form);
      sendAnswer(response, status, page);
    } catch (thrown) {
      const { error, status } = mendable(thrown);
      sendAnswer(response, status, joinHtml(site, { ...formAgain, error }));
    }
  });
  return router;
}
