import { timingSafeEqual } from "node:crypto";
import { type Request, type Response, Router } from "express";
import type { InteractionResults, Provider } from "oidc-provider";
import { BoardError } from "../../board/failures.ts";
import { type Operation, operationNamed } from "../../board/operation.ts";
import { admitted, countedAsRead } from "../http/requests.ts";
import {
  addedFields,
  filledFields,
  formBody,
  isFromElsewhere,
  mendable,
  sendAnswer,
} from "../pages/frame/posted-form.ts";
import { type Asking, consentHtml, endedHtml, madeHtml } from "./pages.ts";
import { PATHS, type SignInParts } from "./provider.ts";

/** Serves the page where a person decides whether a host may sign in, and as whom. */
export function consentRoutes(
  provider: Provider,
  { site, dispatcher, catalog, secrets }: SignInParts,
): Router {
  const router = Router({ caseSensitive: true });
  const path = `${PATHS.consent}/:uid`;

  router.get(path, countedAsRead(dispatcher), async (request, response) => {
    const asking = await askingOf(request, response);
    if (asking !== null) sendAnswer(response, 200, consentHtml(site, asking));
  });

  router.post(path, countedAsRead(dispatcher), formBody, async (request, response) => {
    const asking = await askingOf(request, response);
    if (asking === null) return;
    const { do: action, form_token: formToken = "", ...sent } = filledFields(request.body, FIELDS);
    if (isFromElsewhere(request) || !isSame(formToken, asking.formToken)) {
      sendAnswer(response, 403, consentHtml(site, asking));
      return;
    }
    try {
      if (action === "register") {
        const { api_key: _, ...fields } = sent;
        const input = {
          ...addedFields(request.body, FIELDS),
          ...fields,
          accept_terms: fields["accept_terms"] === "yes",
        };
        const operation = operationNamed(catalog.operations, "register_publisher");
        const made = await perform(operation, { request, response }, null, input);
        sendAnswer(response, 201, madeHtml(site, asking, made.api_key));
        return;
      }
      if (action !== "allow") {
        await finish(request, response, { error: "access_denied" });
        return;
      }
      const apiKey = sent["api_key"]?.trim();
      if (apiKey === undefined) throw new BoardError("missing_api_key");
      // Allowing leaves something behind each time, so it counts as a write.
      const allowing: Operation = {
        ...operationNamed(catalog.operations, "read_own_publisher"),
        limit: "write",
      };
      const { id: accountId, suspended } = await perform(allowing, { request, response }, apiKey, {});
      if (suspended) throw new BoardError("publisher_suspended");
      await finish(request, response, { login: { accountId, remember: false }, consent: {} });
    } catch (thrown) {
      const { error, status } = mendable(thrown);
      sendAnswer(response, status, consentHtml(site, asking, { sent, error }));
    }
  });
  return router;

  /** Finds the sign-in that this browser began; null, and answered, when it began none or it is over. */
  async function askingOf(request: Request, response: Response): Promise<Asking | null> {
    const begun = await provider.interactionDetails(request, response).catch(() => null);
    if (begun === null || begun.uid !== request.params["uid"]) {
      sendAnswer(response, 400, endedHtml(site, { why: "It is over, or began in another browser." }));
      return null;
    }
    const { host } = begun.prompt.details;
    return {
      path: request.path,
      formToken: secrets.signInMac("form", begun.uid),
      host: typeof host === "string" ? host : undefined,
      redirectUri: new URL(String(begun.params["redirect_uri"])),
    };
  }

  async function perform(
    operation: Operation,
    { request, response }: { request: Request; response: Response },
    apiKey: string | null,
    input: Record<string, unknown>,
  ) {
    const admission = await admitted(dispatcher, operation, request, response, { apiKey });
    const { body } = await dispatcher.perform(operation, admission, input, "body");
    return body.data as { id: string; api_key: string; suspended: boolean };
  }

  async function finish(request: Request, response: Response, result: InteractionResults): Promise<void> {
    response.clearCookie(provider.cookieName("interaction"), { path: request.path });
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }
}

const FIELDS = ["do", "form_token", "api_key", "name", "description", "url", "invite", "accept_terms"];

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
