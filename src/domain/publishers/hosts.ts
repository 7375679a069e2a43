import type { SignInStore } from "../../ports/store/index.ts";
import type { SignedInHost } from "../../schema/publisher.ts";
import { isoTime } from "../resources.ts";
import { sha256 } from "../secrets.ts";

/** The id of a row that the sign-in of hosts keeps, by the row's kind and name. */
export const signInId = (kind: string, name: string) => `${kind}:${sha256(name)}`;

/** The hosts that are signed in as a publisher; the one whose sign-in ends first comes first. */
export async function hostsOf(
  signIns: SignInStore,
  publisherId: string,
  now: number,
): Promise<SignedInHost[]> {
  const rows = await signIns.ofPublisher(publisherId, now);
  // Each signed-in host has one refresh token that it has not used yet.
  const renewable = rows.filter(
    ({ id, consumedAt }) => id.startsWith("RefreshToken:") && consumedAt === null,
  );
  return Promise.all(
    renewable.map(async ({ payload, expiresAt }) => {
      const { clientId, iiat } = JSON.parse(payload) as { clientId: string; iiat: number };
      const client = JSON.parse((await signIns.get(signInId("Client", clientId), now))?.payload ?? "{}");
      // A client that did not register is named by the address of its document.
      const name: string = client.client_name ?? clientId;
      return { name, signed_in_at: isoTime(iiat * 1000), expires_at: isoTime(expiresAt) };
    }),
  );
}
