import express, { Router } from "express";
import type { Site } from "../../../domain/site.ts";
import type { Operation } from "../../../operation.ts";
import type { Dispatcher } from "../../calls/dispatcher.ts";
import { setPagePolicy } from "../../http/forms.ts";
import { admitted } from "../../http/requests.ts";
import { pathOf } from "./card.ts";
import { confirmHtml, thanksHtml } from "./report-form.ts";

/** A form has only two short fields. */
const FORM_BYTES = 32 * 1024;

/**
 * `POST /p/<id>/report`: the report form of a post, which works without a script.
 *
 * It needs no token against forged requests. Visitors do not sign in, and no cookie is set or read, so a forged form has
 * no rights to abuse. A foreign page could only borrow its visitor's address, as one of the several voices that hide a
 * post. Browsers say where a form comes from (`Sec-Fetch-Site`), and the visitor must confirm one from another site.
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

/** The two fields of the form. An empty one counts as left out. */
function fieldsOf(body: unknown): Record<string, string> {
  const sent = (body ?? {}) as Record<string, unknown>;
  const fields: Record<string, string> = {};
  for (const name of ["reason", "details"]) {
    const value = sent[name];
    if (typeof value === "string" && value.trim() !== "") fields[name] = value;
  }
  return fields;
}
