import type { Adapter, AdapterFactory, AdapterPayload } from "oidc-provider";
import { signInId } from "../../domain/publishers/hosts.ts";
import { DAY_MS } from "../../domain/time.ts";
import type { SignInStore } from "../../ports/store/index.ts";

/** A registered client is forgotten when it has not been used for so long. */
const CLIENT_KEPT_MS = 90 * DAY_MS;

/**
 * Where the authorization server keeps what it must remember. The board's clock decides what has expired.
 * @param usedTwice  made when a code or token is used again at the same moment
 */
export function signInRows(
  signIns: SignInStore,
  clock: () => number,
  usedTwice: () => Error,
): AdapterFactory {
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
