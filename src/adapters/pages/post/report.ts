import { Router } from "express";
import type { Site } from "../../../domain/site.ts";
import type { Operation } from "../../../operation.ts";
import type { Dispatcher } from "../../calls/dispatcher.ts";
import { admitted } from "../../http/requests.ts";
import { filledFields, formBody, isFromElsewhere, sendAnswer } from "../frame/posted-form.ts";
import { pathOf } from "./card.ts";
import { confirmHtml, thanksHtml } from "./report-form.ts";

/** `POST /p/<id>/report`: the report form of a post, which works without a script. */
export function reportRoutes(operation: Operation, site: Site, dispatcher: Dispatcher): Router {
  const router = Router({ caseSensitive: true });
  router.get("/p/:id/report", (request, response) => {
    response.redirect(303, `${pathOf({ id: encodeURIComponent(request.params.id) })}#report`);
  });
  router.post(
    "/p/:id/report",
    async (request, response, next) => {
      response.locals["form"] = "html";
      response.locals["admission"] = await admitted(dispatcher, operation, request, response);
      next();
    },
    formBody,
    async (request, response) => {
      const sent = filledFields(request.body, ["reason", "details"]);
      const id = String(request.params["id"]);
      if (isFromElsewhere(request)) {
        sendAnswer(response, 200, confirmHtml(encodeURIComponent(id), sent, site));
        return;
      }
      const { body } = await dispatcher.perform(
        operation,
        response.locals["admission"],
        { ...sent, post_id: id },
        "body",
      );
      const { post_id } = body.data as { post_id: string };
      sendAnswer(response, 201, thanksHtml(post_id, site));
    },
  );
  return router;
}
