import { generateKeyPairSync } from "node:crypto";
import type { Request } from "express";
import type { Adapter, AdapterFactory, AdapterPayload, JWK, Provider } from "oidc-provider";
import type { Logger } from "pino";
import { signInId } from "../../domain/publishers/hosts.ts";
import type { Secrets } from "../../domain/secrets.ts";
import type { Site } from "../../domain/site.ts";
import { DAY_MS, HOUR_MS } from "../../domain/time.ts";
import type { Catalog } from "../../operation.ts";
import type { Outbound } from "../../ports/outbound.ts";
import type { SignInStore, Store, StoredPublisher } from "../../ports/store/index.ts";
import type { Dispatcher } from "../calls/dispatcher.ts";
import { credentialsOf } from "../http/requests.ts";
import { endedHtml } from "./pages.ts";

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

/** The one thing that a host may ask for: to use the tools as a publisher. */
export const SCOPE = "board";

export const PATHS = {
  metadata: "/.well-known/oauth-authorization-server",
  authorize: "/oauth/authorize",
  consent: "/oauth/consent",
  token: "/oauth/token",
  register: "/oauth/register",
  revoke: "/oauth/revoke",
  keys: "/oauth/jwks",
} as const;

const TTL_S = {
  Interaction: 600,
  AuthorizationCode: 60,
  AccessToken: HOUR_MS / 1000,
  RefreshToken: (30 * DAY_MS) / 1000,
  /** A sign-in that is renewed all the time ends after a year. */
  Grant: (365 * DAY_MS) / 1000,
  Session: 600,
};

/** The publisher that may sign in under this id, or null. */
export async function signInPublisher(store: Store, id: string): Promise<StoredPublisher | null> {
  const publisher = await store.publishers.get(id);
  return publisher?.suspendedAt === null ? publisher : null;
}

/**
 * The authorization server: authorization codes with PKCE, refresh tokens that are used once, revocation, registered clients
 * and clients that a document describes. `oidc-provider` carries the protocol; everything of OpenID is off.
 *
 * @param resource  the address that tokens are for
 */
export async function openProvider(resource: string, parts: SignInParts): Promise<Provider> {
  const { site, store, outbound, dispatcher, logger, clock } = parts;
  const { Provider, errors, interactionPolicy } = await import("oidc-provider");
  const { Check, Prompt } = interactionPolicy;

  // A person decides at every sign-in: that a browser was here before opens nothing.
  const undecided = new Check("undecided", "a person has to decide", "interaction_required", ({ oidc }) =>
    oidc.result?.consent === undefined ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
  );
  // The library wants a key for tokens that it never makes here.
  const unused = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });

  const provider = new Provider(site.root, {
    adapter: signInRows(store.signIns, clock, () => new errors.InvalidGrant("already used")),
    clientAuthMethods: ["none"],
    clientBasedCORS: () => true,
    clientDefaults: { id_token_signed_response_alg: "ES256", token_endpoint_auth_method: "none" },
    cookies: {
      // They live as long as one sign-in, and carry its unguessable name. The last is never set; see below.
      names: { interaction: "sign_in", resume: "sign_in_resume", session: "sign_in_session" },
      short: { httpOnly: true, sameSite: "lax", secure: site.root.startsWith("https:") },
    },
    discovery: {
      revocation_endpoint_auth_methods_supported: ["none"],
      scopes_supported: [SCOPE],
      service_documentation: `${site.root}/docs`,
    },
    enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
    expiresWithSession: () => false,
    // Registered clients and described ones become the same: public, with addresses by https or on this machine.
    extraClientMetadata: {
      properties: ["redirect_uris"],
      validator(_context, _name, uris: unknown, metadata) {
        if (!Array.isArray(uris) || !uris.every(isRedirectUri))
          throw new errors.InvalidRedirectUri(
            "redirect_uris must be https, or http on localhost or 127.0.0.1",
          );
        const { client_id, client_id_issued_at, client_name } = metadata;
        for (const name of Object.keys(metadata)) delete metadata[name];
        Object.assign(metadata, { client_id, client_id_issued_at, client_name, ...PUBLIC_CLIENT });
        metadata["redirect_uris"] = uris.flatMap((uri: string) => (BARE.test(uri) ? [uri, `${uri}/`] : uri));
      },
    },
    // There is one scope, whatever a host asks for.
    extraParams: {
      scope({ oidc: { params } }) {
        Object.assign(params ?? {}, { scope: SCOPE });
      },
    },
    features: {
      clientIdMetadataDocument: {
        enabled: true,
        ack: "draft-02",
        cacheDuration: { min: HOUR_MS / 1000, max: DAY_MS / 1000 },
        // Fetching counts as registering.
        allowFetch({ req }) {
          const counted = dispatcher.stray({ ...credentialsOf(req as Request), apiKey: null }, "register");
          return counted.then(
            () => true,
            () => false,
          );
        },
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
      policy: [new Prompt({ name: "consent", requestable: true }, undecided)],
      url: (_context, { uid }) => `${PATHS.consent}/${uid}`,
    },
    issueRefreshToken: () => true,
    jwks: { keys: [unused as JWK] },
    pkce: { required: () => true },
    renderError(context, { error, error_description: description }) {
      context.type = "html";
      context.body = endedHtml(site, description ?? error);
    },
    responseTypes: ["code"],
    revokeGrantPolicy: () => true,
    rotateRefreshToken: () => true,
    routes: {
      authorization: PATHS.authorize,
      token: PATHS.token,
      registration: PATHS.register,
      revocation: PATHS.revoke,
      jwks: PATHS.keys,
    },
    scopes: [],
    ttl: TTL_S,
  });
  // Addresses are built from the site's, which the router puts into the headers of a proxy.
  provider.proxy = true;
  provider.on("server_error", (_context, error) => logger.error({ err: error }, "signing in failed"));
  // The library's session ends with the sign-in that made it: no cookie is set, and no row kept.
  provider.on("authorization.success", ({ oidc: { session } }) => {
    if (session !== undefined) Object.assign(session, { destroyed: true });
  });
  return provider;
}

const PUBLIC_CLIENT = {
  application_type: "native",
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};

/** An address without a path: clients register it as it is, and then send it with a slash. */
const BARE = /^https?:\/\/[^/?#]+$/;

const isRedirectUri = (uri: unknown) =>
  typeof uri === "string" &&
  uri.length <= 2000 &&
  /^(https:\/\/[\w.-]+|http:\/\/(localhost|127\.0\.0\.1|\[::1\]))(:\d+)?([/?]|$)/i.test(uri);

/** A client's document, fetched through the outgoing guard: from public addresses alone, in one short answer. */
async function fetchDocument(outbound: Outbound, url: string): Promise<globalThis.Response> {
  const bounds = { maxBytes: 5 * 1024, timeoutMs: 3_000, exemptions: false };
  const { status, body } = await outbound.send({ method: "GET", url, ...bounds });
  return new globalThis.Response(status === 200 ? new Uint8Array(body) : null, { status });
}

/** A registered client is forgotten when it has not been used for so long. */
const CLIENT_KEPT_MS = 90 * DAY_MS;

/**
 * Where the authorization server keeps what it must remember. The board's clock decides what has expired.
 * @param usedTwice  made when a code or token is used again at the same moment
 */
function signInRows(signIns: SignInStore, clock: () => number, usedTwice: () => Error): AdapterFactory {
  return (kind): Adapter => ({
    async upsert(name, { jti: _, ...payload }, expiresInS) {
      // The name of a token is the token: only its hash is kept.
      await signIns.put({
        id: signInId(kind, name),
        grantId: kind === "Grant" ? name : (payload.grantId ?? null),
        publisherId: payload.accountId ?? null,
        payload: JSON.stringify(payload),
        consumedAt: null,
        expiresAt: clock() + (expiresInS === undefined ? CLIENT_KEPT_MS : expiresInS * 1000),
      });
    },
    async find(name) {
      const row = await signIns.get(signInId(kind, name), clock());
      if (row === null) return undefined;
      const payload = JSON.parse(row.payload) as AdapterPayload;
      const consumed = row.consumedAt === null ? {} : { consumed: Math.floor(row.consumedAt / 1000) };
      if (kind !== "Client") return { ...payload, ...consumed, jti: name };
      // Written at most once a day.
      const expiresAt = clock() + CLIENT_KEPT_MS;
      if (expiresAt - row.expiresAt > DAY_MS) await signIns.put({ ...row, expiresAt });
      return payload;
    },
    async consume(name) {
      if (!(await signIns.consume(signInId(kind, name), clock()))) throw usedTwice();
    },
    destroy: (name) => signIns.remove("id", signInId(kind, name)),
    revokeByGrantId: (grantId) => signIns.remove("grantId", grantId),
    // Sessions and codes for devices are not used.
    findByUid: () => Promise.resolve(undefined),
    findByUserCode: () => Promise.resolve(undefined),
  });
}
