import { createHmac, timingSafeEqual } from "node:crypto";
import { type Request, type Response, Router } from "express";
import type { InteractionResults, Provider } from "oidc-provider";
import { BoardError } from "../../failures.ts";
import { operationNamed } from "../../operation.ts";
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
import { PATHS, SCOPE, type SignInParts } from "./provider.ts";

/** The page where a person decides whether a host may sign in, and as whom. */
export function consentRoutes(
  provider: Provider,
  resource: string,
  { site, dispatcher, catalog, secrets }: SignInParts,
): Router {
  const router = Router({ caseSensitive: true });
  const path = `${PATHS.consent}/:uid`;

  router.get(path, countedAsRead(dispatcher), async (request, response) => {
    const asking = await askingOf(request, response);
    if (asking !== null) show(response, asking, 200, consentHtml(site, asking));
  });

  router.post(path, countedAsRead(dispatcher), formBody, async (request, response) => {
    const asking = await askingOf(request, response);
    if (asking === null) return;
    const { do: action, form_token: formToken = "", ...sent } = filledFields(request.body, FIELDS);
    if (isFromElsewhere(request) || !isSame(formToken, asking.formToken)) {
      show(response, asking, 403, consentHtml(site, asking));
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
        const made = await perform("register_publisher", { request, response }, null, input);
        show(response, asking, 201, madeHtml(site, asking, made.api_key));
        return;
      }
      if (action !== "allow") {
        await finish(request, response, { error: "access_denied" });
        return;
      }
      const apiKey = sent["api_key"]?.trim();
      if (apiKey === undefined) throw new BoardError("missing_api_key");
      const { id: accountId, suspended } = await perform(
        "read_own_publisher",
        { request, response },
        apiKey,
        {},
      );
      if (suspended) throw new BoardError("publisher_suspended");
      const grant = new provider.Grant({ accountId, clientId: asking.clientId });
      grant.addResourceScope(resource, SCOPE);
      const grantId = await grant.save();
      await finish(request, response, { login: { accountId, remember: false }, consent: { grantId } });
    } catch (thrown) {
      const { error, status } = mendable(thrown);
      show(response, asking, status, consentHtml(site, asking, { sent, error }));
    }
  });
  return router;

  /** The sign-in that this browser began; null, and answered, when it began none or it is over. */
  async function askingOf(request: Request, response: Response): Promise<Asking | null> {
    const begun = await provider.interactionDetails(request, response).catch(() => null);
    const client = begun === null ? undefined : await provider.Client.find(String(begun.params["client_id"]));
    if (begun === null || client === undefined || begun.uid !== request.params["uid"]) {
      sendAnswer(response, 400, endedHtml(site, "It is over, or began in another browser."));
      return null;
    }
    return {
      path: request.path,
      formToken: createHmac("sha256", secrets.signInKey()).update(begun.uid).digest("base64url"),
      clientId: client.clientId,
      host: client.clientName ?? client.clientId,
      redirectUri: new URL(String(begun.params["redirect_uri"])),
    };
  }

  async function perform(
    name: string,
    { request, response }: { request: Request; response: Response },
    apiKey: string | null,
    input: Record<string, unknown>,
  ) {
    const operation = operationNamed(catalog.operations, name);
    const admission = await admitted(dispatcher, operation, request, response, { apiKey });
    const { body } = await dispatcher.perform(operation, admission, input, "body");
    return body.data as { id: string; api_key: string; suspended: boolean };
  }

  async function finish(request: Request, response: Response, result: InteractionResults): Promise<void> {
    response.clearCookie(provider.cookieName("interaction"), { path: request.path });
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }
}

const FIELDS = ["do", "form_token", "api_key", "name", "description", "url", "accept_terms"];

function show(response: Response, { redirectUri }: Asking, status: number, page: string): void {
  sendAnswer(response, status, page, redirectUri.origin);
}

const isSame = (one: string, other: string) =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
