import { type Request, type RequestHandler, type Response, Router } from "express";
import type { StoredPublisher } from "../../ports/store/index.ts";
import { countedAsRead, credentialsOf } from "../http/requests.ts";
import { consentRoutes } from "./consent.ts";
import { openProvider, PATHS, SCOPE, type SignInParts, signInPublisher } from "./provider.ts";

/** Sign-in of hosts that cannot keep a key. */
export interface SignIn {
  /** The authorization server, its metadata, and the page where a person decides. */
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
  const library: RequestHandler = (request, response) => {
    request.headers["x-forwarded-proto"] = protocol.slice(0, -1);
    request.headers["x-forwarded-host"] = host;
    return serve(request, response);
  };
  const stray = (request: Request, limit: "read" | "register") =>
    dispatcher.stray({ ...credentialsOf(request), apiKey: null }, limit);
  const registering: RequestHandler = async (request, _response, next) => {
    await stray(request, "register");
    next();
  };
  const read = countedAsRead(dispatcher);
  const aboutResource = `/.well-known/oauth-protected-resource${pathname}`;
  const router = Router({ caseSensitive: true });
  router.get(aboutResource, read, (_request, response) => {
    // RFC 9728: who gives out tokens for the tool server.
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
  // RFC 8414, for hosts that insert the path of the tool server too.
  router.get([PATHS.metadata, PATHS.metadata + pathname], read, (request, response, next) => {
    request.url = PATHS.metadata;
    request.originalUrl = PATHS.metadata;
    return library(request, response, next);
  });
  router.get([PATHS.authorize, `${PATHS.authorize}/:uid`, PATHS.keys], read, library);
  router.post([PATHS.token, PATHS.revoke], read, library);
  router.post(PATHS.register, registering, library);
  router.use(consentRoutes(provider, resource, parts));
  return { router, required };

  async function required(request: Request, response: Response, next: () => void): Promise<void> {
    const [, token] = /^Bearer\s+(\S+)\s*$/i.exec(request.get("authorization") ?? "") ?? [];
    const publisher = token === undefined ? null : await bearerOf(token);
    if (publisher !== null) {
      response.locals["signedIn"] = publisher;
      next();
      return;
    }
    await stray(request, "read");
    const where = `resource_metadata="${site.root}${aboutResource}", scope="${SCOPE}"`;
    const wrong = token === undefined ? "" : ', error="invalid_token"';
    response.set("WWW-Authenticate", `Bearer ${where}${wrong}`).status(401);
    response.json({
      error: "invalid_token",
      error_description: "Sign in: this address takes tokens, no keys.",
    });
  }

  /** The publisher of a token, as long as the token, the sign-in that it came from and the publisher last. */
  async function bearerOf(token: string): Promise<StoredPublisher | null> {
    const access = await provider.AccessToken.find(token);
    if (access === undefined || access.aud !== resource || access.grantId === undefined) return null;
    const grant = await provider.Grant.find(access.grantId);
    return grant === undefined ? null : signInPublisher(store, access.accountId);
  }
}
