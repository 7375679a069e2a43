import { type Request, type RequestHandler, type Response, Router } from "express";
import { adviceOn, FAILURES } from "../../board/failures.ts";
import type { StoredPublisher } from "../../ports/store/index.ts";
import type { LimitHeaders } from "../calls/limits.ts";
import { setPagePolicy } from "../http/forms.ts";
import { countedAsRead, credentialsOf, sentQuery, setLimitHeaders } from "../http/requests.ts";
import { formBody } from "../pages/frame/posted-form.ts";
import { authorizationAsked, SCOPE, tokensAsked, withForm } from "./asked.ts";
import { consentRoutes } from "./consent.ts";
import { openProvider, PATHS, type SignInParts, signInPublisher } from "./provider.ts";

/** Lets hosts sign in that cannot keep a key. */
export interface SignIn {
  /** Serves the authorization server, its metadata, and the page where a person decides. */
  router: Router;
  /** Lets a request on whose token is valid, its publisher in `response.locals["signedIn"]`; answers others with 401. */
  required: RequestHandler;
}

/**
 * Opens the sign-in at `resource`, the address of the tool server for hosts that signed in. The library behind it is loaded
 * only here.
 */
export async function openSignIn(resource: string, parts: SignInParts): Promise<SignIn> {
  const { site, store, dispatcher } = parts;
  const { protocol, host, pathname } = new URL(resource);
  const provider = await openProvider(resource, parts);
  const serve = provider.callback();

  /** Hands a request to the library, which builds addresses from the headers of a proxy: they name the site. */
  function library(request: Parameters<typeof serve>[0], response: Response) {
    request.headers["x-forwarded-proto"] = protocol.slice(0, -1);
    request.headers["x-forwarded-host"] = host;
    setPagePolicy(response);
    return serve(request, response);
  }
  const read = countedAsRead(dispatcher);
  const aboutResource = `/.well-known/oauth-protected-resource${pathname}`;
  const router = Router({ caseSensitive: true });
  router.get(aboutResource, read, (_request, response) => {
    // This tells who gives out tokens for the tool server (RFC 9728).
    response.set("Cache-Control", "public, max-age=3600").json({
      resource,
      resource_name: site.identity.name,
      authorization_servers: [site.root],
      scopes_supported: [SCOPE],
      bearer_methods_supported: ["header"],
      resource_documentation: `${site.root}/docs`,
      resource_tos_uri: `${site.root}/terms`,
    });
  });
  // Hosts that insert the path of the tool server get it too (RFC 8414). The library's own would name parts of OpenID.
  router.get([PATHS.metadata, PATHS.metadata + pathname], read, (_request, response) => {
    response.set("Cache-Control", "public, max-age=3600").json({
      issuer: site.root,
      authorization_endpoint: site.root + PATHS.authorize,
      token_endpoint: site.root + PATHS.token,
      registration_endpoint: site.root + PATHS.register,
      revocation_endpoint: site.root + PATHS.revoke,
      // Every sign-in can be renewed. Hosts ask for that only where it is named.
      scopes_supported: [SCOPE, "offline_access"],
      response_types_supported: ["code"],
      response_modes_supported: ["query", "fragment"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      revocation_endpoint_auth_methods_supported: ["none"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      service_documentation: `${site.root}/docs`,
      op_tos_uri: `${site.root}/terms`,
    });
  });
  router.get(PATHS.authorize, read, (request, response) => {
    request.url = `${PATHS.authorize}?${authorizationAsked(sentQuery(request), resource)}`;
    return library(request, response);
  });
  router.get(`${PATHS.authorize}/:uid`, read, library);
  router.post(PATHS.token, read, formBody, (request, response) => {
    // Another type of body was not read: the library says so.
    if (request.body === undefined) return library(request, response);
    const asked = tokensAsked(request.body, resource);
    if (asked !== null) return library(withForm(request, asked), response);
    const description = `resource must be ${resource}; nothing was used up`;
    response.status(400).set("Cache-Control", "no-store");
    return response.json({ error: "invalid_target", error_description: description });
  });
  router.post(PATHS.revoke, read, library);
  router.post(PATHS.register, countedAsClient, library);
  router.use([PATHS.token, PATHS.revoke, PATHS.register], failedForHosts);
  router.use(consentRoutes(provider, parts));
  return { router, required };

  async function countedAsClient(request: Request, response: Response, next: () => void): Promise<void> {
    const visitor = { ...credentialsOf(request), apiKey: null };
    setLimitHeaders(response, await dispatcher.stray(visitor, "clients"));
    next();
  }

  async function required(request: Request, response: Response, next: () => void): Promise<void> {
    const [, token] = /^Bearer\s+(\S+)\s*$/i.exec(request.get("authorization") ?? "") ?? [];
    const publisher = token === undefined ? null : await bearerOf(token);
    if (publisher !== null) {
      response.locals["signedIn"] = publisher;
      next();
      return;
    }
    await dispatcher.stray({ ...credentialsOf(request), apiKey: null });
    const where = `resource_metadata="${site.root}${aboutResource}", scope="${SCOPE}"`;
    const wrong = token === undefined ? "" : ', error="invalid_token"';
    response.set("WWW-Authenticate", `Bearer ${where}${wrong}`).status(401);
    response.json({
      error: "invalid_token",
      error_description: "Sign in: this address takes tokens, no keys.",
    });
  }

  /** Finds the publisher of a token, as long as the token, the sign-in that it came from and the publisher last. */
  async function bearerOf(token: string): Promise<StoredPublisher | null> {
    const access = await provider.AccessToken.find(token);
    if (access === undefined || access.aud !== resource || access.grantId === undefined) return null;
    const grant = await provider.Grant.find(access.grantId);
    return grant === undefined ? null : signInPublisher(store, access.accountId);
  }

  /** Answers a failure in the form of OAuth, which the libraries of hosts read (RFC 6749, section 5.2). */
  function failedForHosts(thrown: unknown, _request: Request, response: Response, _next: () => void): void {
    const { error, status } = dispatcher.fail(thrown, null);
    if (error.code === "rate_limited") setLimitHeaders(response, error.cause as LimitHeaders | undefined);
    if (error.retryAfterS !== undefined) response.set("Retry-After", String(error.retryAfterS));
    const later = status === 429 || status === 503;
    response
      .status(status)
      .set("Cache-Control", "no-store")
      .json({
        error: later ? "temporarily_unavailable" : status < 500 ? "invalid_request" : "server_error",
        error_description: `${FAILURES[error.code].message} ${adviceOn("rest", error.hint)}`,
      });
  }
}
