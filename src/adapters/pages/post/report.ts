import express, { Router } from "express";
import type { Site } from "../../../domain/site.ts";
import type { Operation } from "../../../operation.ts";
import type { Dispatcher } from "../../calls/dispatcher.ts";
import { setPagePolicy } from "../../http/forms.ts";
import { admitted } from "../../http/requests.ts";
import { pathOf } from "./card.ts";
import { confirmHtml, thanksHtml } from "./report-form.ts";

/** A form holds two short fields. */
const FORM_BYTES = 32 * 1024;

/**
 * `POST /p/<id>/report`: the report form of a post, which works without a script.
 *
 * There is no token against forged requests: nothing is signed in, no cookie is set or read, so a forged form has no
 * rights to abuse. The one thing a foreign page could lend is the address of its visitor, as one voice among the several
 * that hide a post; browsers say where a form comes from (`Sec-Fetch-Site`), and a foreign one is asked about first.
 */
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
    express.urlencoded({ extended: false, limit: FORM_BYTES, inflate: false }),
    async (request, response) => {
      const sent = fieldsOf(request.body);
      const id = String(request.params["id"]);
      setPagePolicy(response);
      response.set("Cache-Control", "no-store");
      if (isForeign(request.get("sec-fetch-site"))) {
        response.type("html").send(confirmHtml(encodeURIComponent(id), sent, site));
        return;
      }
      const { body } = await dispatcher.perform(
        operation,
        response.locals["admission"],
        { ...sent, post_id: id },
        "body",
      );
      const { post_id } = body.data as { post_id: string };
      response.status(201).type("html").send(thanksHtml(post_id, site));
    },
  );
  return router;
}

const isForeign = (from: string | undefined) => from === "cross-site" || from === "same-site";

/** The two fields of the form; an empty one was left out. */
function fieldsOf(body: unknown): Record<string, string> {
  const sent = (body ?? {}) as Record<string, unknown>;
  const fields: Record<string, string> = {};
  for (const name of ["reason", "details"]) {
    const value = sent[name];
    if (typeof value === "string" && value.trim() !== "") fields[name] = value;
  }
  return fields;
}
