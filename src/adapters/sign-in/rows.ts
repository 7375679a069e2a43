import type { Adapter, AdapterFactory, AdapterPayload } from "oidc-provider";
import { signInId } from "../../domain/publishers/hosts.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../platform/time.ts";
import type { SignInStore } from "../../ports/store/index.ts";

/** Each thing lasts this many seconds. */
export const TTL_S = {
  Interaction: 600,
  AuthorizationCode: 60,
  AccessToken: HOUR_MS / 1000,
  RefreshToken: (30 * DAY_MS) / 1000,
  /** A sign-in that is renewed all the time ends after a year. */
  Grant: (365 * DAY_MS) / 1000,
  Session: 600,
};

/** A registered client is forgotten when it has not been used for so long. */
const CLIENT_KEPT_MS = 90 * DAY_MS;

/**
 * A refresh token counts for so long after its first use, if it is the last: hosts renew twice at once, or once more when an
 * answer was lost. They get the same new token again.
 */
const GRACE_MS = MINUTE_MS;

/** A refresh token begins with the name of its grant, by which a token that was used long ago still ends its sign-in. */
export const refreshToken = (grantId: string, secret: string) => `${grantId}.${secret}`;
const grantOf = (token: string) => /^([\w-]+)\./.exec(token)?.[1];

/**
 * Keeps what the authorization server must remember. The board's clock decides what has expired.
 * @param usedTwice  made when a code or token is used again at the same moment
 */
export function signInRows(
  signIns: SignInStore,
  clock: () => number,
  usedTwice: () => Error,
): AdapterFactory {
  return (kind): Adapter => ({
    async upsert(name, { jti: _, ...payload }, expiresInS) {
      // The library's session ends with its sign-in.
      if (kind === "Session") return;
      const grantId = kind === "Grant" ? name : (payload.grantId ?? null);
      // A grant lasts as long as the refresh token of its host. Until there is one it waits for the code to be used.
      const lastsS = kind === "Grant" ? TTL_S.Interaction : expiresInS;
      const expiresAt = clock() + (lastsS === undefined ? CLIENT_KEPT_MS : lastsS * 1000);
      await signIns.put({
        // The name of a token is the token: only its hash is kept.
        id: signInId(kind, name),
        grantId,
        publisherId: payload.accountId ?? null,
        payload: JSON.stringify(payload),
        consumedAt: null,
        expiresAt,
      });
      if (kind === "RefreshToken" && grantId !== null)
        await signIns.prolong(signInId("Grant", grantId), expiresAt);
    },
    async find(name) {
      const now = clock();
      const row = await signIns.get(signInId(kind, name), now);
      if (row === null) {
        // The token was used, and so was the one after it: one of the two that have it is not its host.
        const grantId = kind === "RefreshToken" ? grantOf(name) : undefined;
        if (grantId !== undefined) await signIns.remove("grantId", grantId);
        return undefined;
      }
      const payload = JSON.parse(row.payload) as AdapterPayload;
      if (kind === "Client") {
        // The row is written at most once a day.
        if (now + CLIENT_KEPT_MS - row.expiresAt > DAY_MS)
          await signIns.prolong(row.id, now + CLIENT_KEPT_MS);
        return payload;
      }
      const usedAt = kind === "RefreshToken" && countsStill(row.consumedAt, now) ? null : row.consumedAt;
      return { ...payload, ...(usedAt === null ? {} : { consumed: Math.floor(usedAt / 1000) }), jti: name };
    },
    async consume(name) {
      const now = clock();
      const id = signInId(kind, name);
      const isFirst = await signIns.consume(id, now);
      const row = kind === "RefreshToken" ? await signIns.get(id, now) : null;
      if (!isFirst && (row === null || !countsStill(row.consumedAt, now))) throw usedTwice();
      if (!isFirst || row === null || row.grantId === null) return;
      // What came before it is over, whatever a host repeats; of access tokens, all but those that came with it.
      const cameWithIt = row.expiresAt - TTL_S.RefreshToken * 1000 - GRACE_MS;
      await signIns.removeOlder(row.grantId, "RefreshToken", row.expiresAt, id);
      await signIns.removeOlder(row.grantId, "AccessToken", cameWithIt + TTL_S.AccessToken * 1000, id);
    },
    destroy: (name) => signIns.remove("id", signInId(kind, name)),
    revokeByGrantId: (grantId) => signIns.remove("grantId", grantId),
    // Sessions and codes for devices are not used.
    findByUid: () => Promise.resolve(undefined),
    findByUserCode: () => Promise.resolve(undefined),
  });
}

const countsStill = (consumedAt: number | null, now: number) =>
  consumedAt !== null && now - consumedAt <= GRACE_MS;
