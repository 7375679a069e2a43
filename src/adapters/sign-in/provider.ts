import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { JWK, Provider } from "oidc-provider";
import type { Logger } from "pino";
import type { Catalog } from "../../board/operation.ts";
import type { Secrets } from "../../domain/secrets.ts";
import type { Site } from "../../domain/site.ts";
import { DAY_MS, HOUR_MS } from "../../platform/time.ts";
import type { Outbound } from "../../ports/outbound.ts";
import type { Store, StoredPublisher } from "../../ports/store/index.ts";
import type { Dispatcher } from "../calls/dispatcher.ts";
import { SCOPE } from "./asked.ts";
import { fetchDocument, refusalOfClient } from "./clients.ts";
import { endedHtml, leadHtml, NOT_KNOWN, NOT_READ, refusedHtml } from "./pages.ts";
import { refreshToken, signInRows, TTL_S } from "./rows.ts";

export interface SignInParts {
  site: Site;
  store: Store;
  secrets: Secrets;
  outbound: Outbound;
  dispatcher: Dispatcher;
  catalog: Catalog;
  logger: Logger;
  clock: () => number;
}

export const PATHS = {
  metadata: "/.well-known/oauth-authorization-server",
  authorize: "/oauth/authorize",
  consent: "/oauth/consent",
  token: "/oauth/token",
  register: "/oauth/register",
  revoke: "/oauth/revoke",
} as const;

/** Finds the publisher that may sign in under this id, or null. */
export async function signInPublisher(store: Store, id: string): Promise<StoredPublisher | null> {
  const publisher = await store.publishers.get(id);
  return publisher?.suspendedAt === null ? publisher : null;
}

/**
 * Runs the authorization server: authorization codes with PKCE, refresh tokens that are used once, revocation, registered
 * clients and clients that a document describes. `oidc-provider` carries the protocol; everything of OpenID is off.
 *
 * @param resource  the address that tokens are for
 */
export async function openProvider(resource: string, parts: SignInParts): Promise<Provider> {
  const { site, store, secrets, outbound, logger, clock } = parts;
  const { Provider, errors, interactionPolicy } = await import("oidc-provider");
  const { Check, Prompt } = interactionPolicy;

  // A person decides at every sign-in: that a browser was here before opens nothing.
  const undecided = new Check("undecided", "a person has to decide", "interaction_required", ({ oidc }) => {
    if (oidc.result?.consent === undefined) return Check.REQUEST_PROMPT;
    if (oidc.account === undefined)
      throw new errors.AccessDenied("the publisher was erased or suspended meanwhile");
    return Check.NO_NEED_TO_PROMPT;
  });
  // The library wants a key for tokens that it never makes here.
  const unused = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });

  const provider = new Provider(site.root, {
    adapter: signInRows(store.signIns, clock, () => new errors.InvalidGrant("already used")),
    clientAuthMethods: ["none"],
    clientBasedCORS: () => true,
    clientDefaults: { id_token_signed_response_alg: "ES256", token_endpoint_auth_method: "none" },
    cookies: {
      // The cookies live as long as one sign-in, and carry its unguessable name. The last is never set; see below.
      names: { interaction: "sign_in", resume: "sign_in_resume", session: "sign_in_session" },
      short: { httpOnly: true, sameSite: "lax", secure: site.root.startsWith("https:") },
    },
    enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
    expiresWithSession: () => false,
    extraClientMetadata: {
      properties: ["redirect_uris"],
      validator(_context, _name, _uris, metadata) {
        const refusal = refusalOfClient(metadata);
        if (refusal !== null) throw new errors.CustomOIDCProviderError("invalid_redirect_uri", refusal);
      },
    },
    features: {
      clientIdMetadataDocument: {
        enabled: true,
        ack: "draft-02",
        cacheDuration: { min: HOUR_MS / 1000, max: DAY_MS / 1000 },
      },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo(_context, asked) {
          if (asked !== resource) throw new errors.InvalidTarget(`resource must be ${resource}`);
          return { scope: SCOPE, audience: resource, accessTokenFormat: "opaque" };
        },
      },
      revocation: {
        enabled: true,
        allowedPolicy: (_context, { clientId }, token) => token.clientId === clientId,
      },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
    },
    fetch: (url) => fetchDocument(outbound, String(url)),
    async findAccount(_context, id) {
      const publisher = await signInPublisher(store, id);
      return publisher === null ? undefined : { accountId: id, claims: () => ({ sub: id }) };
    },
    interactions: {
      // The page where a person decides lies outside the library, and cannot ask it for a client.
      policy: [
        new Prompt(
          { name: "consent", requestable: true },
          ({ oidc }) => ({ host: oidc.client?.clientName }),
          undecided,
        ),
      ],
      url: (_context, { uid }) => `${PATHS.consent}/${uid}`,
    },
    issueRefreshToken: () => true,
    jwks: { keys: [unused as JWK] },
    // Each sign-in has one grant, made when its code is, however often the browser comes back for it.
    async loadExistingGrant({ oidc }) {
      const { result, entities, client, account } = oidc;
      if (result?.consent === undefined || entities.Interaction === undefined) return undefined;
      const who = { clientId: client?.clientId, accountId: account?.accountId };
      const jti = secrets.signInMac("grant", entities.Interaction.uid);
      const grant = Object.assign(new provider.Grant(who), { jti });
      grant.addResourceScope(resource, SCOPE);
      await grant.save();
      return grant;
    },
    pkce: { required: () => true },
    renderError(context, { error, error_description: description }) {
      const isDescribed = String(context.query["client_id"]).startsWith("https:");
      context.type = "html";
      context.body =
        error === "invalid_client"
          ? endedHtml(site, isDescribed ? NOT_READ : NOT_KNOWN)
          : endedHtml(site, { why: description ?? error });
    },
    responseTypes: ["code"],
    revokeGrantPolicy: () => true,
    rotateRefreshToken: () => true,
    routes: {
      authorization: PATHS.authorize,
      token: PATHS.token,
      registration: PATHS.register,
      revocation: PATHS.revoke,
    },
    scopes: [],
    ttl: TTL_S,
  });
  // Addresses are built from the site's, which the router puts into the headers of a proxy.
  provider.proxy = true;
  provider.on("server_error", (_context, error) => logger.error({ err: error }, "signing in failed"));
  // The library's session ends with the sign-in that made it: no cookie is set.
  provider.on("interaction.ended", ({ oidc: { session } }) => {
    if (session !== undefined) Object.assign(session, { destroyed: true });
  });
  provider.on("authorization.error", (context, error) => {
    const described = "error_description" in error ? error.error_description : undefined;
    context.state["why"] = described ?? error.message;
  });
  // Where the browser goes is said on a page of ours. After a form, Chromium checks each further redirect against the page's
  // policy, and the host's address may lead on to anywhere. Without a decision only the person goes on (RFC 9700, 4.11.2).
  provider.use(async (context, next) => {
    await next();
    const to = context.response.get("Location");
    if (context.status !== 303 || to === "" || to.startsWith(PATHS.consent)) return;
    const why: string | undefined = context.state["why"];
    context.type = "html";
    if (context.path === PATHS.authorize) {
      context.status = 400;
      context.remove("Location");
      context.body = refusedHtml(site, new URL(to), why ?? "It was refused.");
    } else {
      // The address stays in the header, for programs in the place of a browser.
      context.status = 200;
      context.body = leadHtml(site, new URL(to), why);
    }
  });
  // A token after another is made of it: who renews twice within the grace gets the same one, and the store knows neither.
  Object.assign(provider.RefreshToken.prototype, {
    generateTokenId(this: { grantId?: string }) {
      const before = Provider.ctx?.oidc.entities.RotatedRefreshToken?.jti;
      const secret =
        before === undefined ? randomBytes(32).toString("base64url") : secrets.signInMac("renewal", before);
      return refreshToken(String(this.grantId), secret);
    },
  });
  return provider;
}
