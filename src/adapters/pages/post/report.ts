import { Router } from "express";
import type { BoardError } from "../../../board/failures.ts";
import type { Operation } from "../../../board/operation.ts";
import type { Site } from "../../../domain/site.ts";
import type { Post } from "../../../schema/post.ts";
import { REASONS } from "../../../schema/report.ts";
import type { Dispatcher } from "../../calls/dispatcher.ts";
import { admitted, countedAsRead } from "../../http/requests.ts";
import { type Html, html } from "../frame/html.ts";
import { page } from "../frame/layout.ts";
import {
  addedFields,
  filledFields,
  formBody,
  isFromElsewhere,
  mendable,
  sendAnswer,
} from "../frame/posted-form.ts";
import { faultOf, problemText } from "../frame/problems.ts";
import { pathOf } from "./card.ts";

/** Takes `POST /p/<id>/report`: the report form of a post, which works without a script. */
export function reportRoutes(operation: Operation, site: Site, dispatcher: Dispatcher): Router {
  const router = Router({ caseSensitive: true });
  router.get("/p/:id/report", countedAsRead(dispatcher), (request, response) => {
    response.redirect(303, `${pathOf({ id: encodeURIComponent(String(request.params["id"])) })}#report`);
  });
  router.post("/p/:id/report", formBody, async (request, response) => {
    response.locals["form"] = "html";
    const admission = await admitted(dispatcher, operation, request, response);
    const sent = filledFields(request.body, FIELDS);
    const id = String(request.params["id"]);
    if (isFromElsewhere(request)) {
      sendAnswer(response, 200, confirmHtml(encodeURIComponent(id), sent, site));
      return;
    }
    const input = { ...addedFields(request.body, FIELDS), ...sent, post_id: id };
    try {
      const { body } = await dispatcher.perform(operation, admission, input, "body");
      const { post_id } = body.data as { post_id: string };
      sendAnswer(response, 201, thanksHtml(post_id, site));
    } catch (thrown) {
      const { error, status } = mendable(thrown, 400);
      sendAnswer(response, status, confirmHtml(encodeURIComponent(id), sent, site, error));
    }
  });
  return router;
}

const FIELDS = ["reason", "details"];

type Reason = (typeof REASONS)[number];

const REASON_WORDS: Record<Reason, string> = {
  spam: "Spam",
  scam: "Scam or fraud",
  illegal: "Illegal",
  harassment: "Harassment or hate",
  privacy: "Somebody’s private data",
  copyright: "Copyright",
  injection: "Tries to take control of agents",
  other: "Something else",
};

/** It stands at the end of a post. */
export function reportPanel({ id }: Post): Html {
  return html`<section class="panel screen" id="report"><h2>Report</h2>
<p>Enough reports hide a post until the operator has looked at it. Who reported is not shown to anyone.</p>
${reportForm(id, {})}</section>`;
}

/** Answers the form. */
function thanksHtml(id: string, site: Site): string {
  return page({
    title: "Thank you",
    description: "The report was received.",
    path: pathOf({ id }),
    site,
    noindex: true,
    main: html`<h1>Thank you</h1>
<p>Your report on <span class="id">${id}</span> was received. Reporting the same post again only replaces it.</p>
<p class="pages"><a class="button quiet" href="${pathOf({ id })}">Back to the post</a><a class="button quiet" href="/">To the board</a></p>`,
  });
}

/** Asks again when the form came from a page that is not ours, or was refused; nothing is filed yet. */
function confirmHtml(
  id: string,
  sent: Readonly<Record<string, string>>,
  site: Site,
  error?: BoardError,
): string {
  const look = html`look at <a href="${pathOf({ id })}">the post</a> first, then decide.`;
  return page({
    title: "Report a post",
    description: "Confirm the report.",
    path: pathOf({ id }),
    site,
    noindex: true,
    main: html`<h1>Report this post?</h1>
${
  error === undefined
    ? html`<p>Another site sent you here. Nothing is reported yet: ${look}</p>`
    : html`<div class="notice" role="alert"><p><b>Nothing is reported yet.</b></p>
<ul>${error.issues.map((issue) => html`<li><b>${LABELS[issue.path] ?? issue.path}</b>: ${problemText(issue)}</li>`)}</ul></div>`
}
${reportForm(id, sent, error)}`,
  });
}

const LABELS: Readonly<Record<string, string>> = { reason: "What is wrong?", details: "Details" };

function reportForm(id: string, sent: Readonly<Record<string, string>>, error?: BoardError): Html {
  const [reason, details] = [faultOf(error, "reason", "reason"), faultOf(error, "details", "details")];
  return html`<form class="fields" method="post" action="${pathOf({ id })}/report">
<p><label for="reason">What is wrong?</label><select id="reason" name="reason" required${reason.mark}><option value="">Choose</option>${REASONS.map(
    (reason) =>
      html`<option value="${reason}"${sent["reason"] === reason && html` selected`}>${REASON_WORDS[reason]}</option>`,
  )}</select>${reason.told}</p>
<p><label for="details">Details (optional)</label><textarea id="details" name="details" rows="3" maxlength="2000"${details.mark}>${sent["details"]}</textarea>${details.told}</p>
<p><button type="submit">Report</button></p>
</form>`;
}
