import type { SignInStore } from "../../ports/store/index.ts";
import type { SignedInHost } from "../../schema/publisher.ts";
import { cleanLine } from "../../schema/text.ts";
import { isoTime } from "../resources.ts";
import { sha256 } from "../secrets.ts";

/** The sign-in of hosts keeps a row by this id, made of the row's kind and name. */
export const signInId = (kind: string, name: string) => `${kind}:${sha256(name)}`;

/** This many hosts are shown of one publisher, which may have more. */
const HOSTS_MAX = 50;
const NAME_CHARS = 60;
const ADDRESS_CHARS = 200;

/**
 * Gives what a host calls itself, as one line of at most 60 characters that no quotation mark ends early: anybody may
 * register any name, and it stands inside our sentences. Undefined for a name without anything to read.
 */
export function hostName(said: unknown): string | undefined {
  if (typeof said !== "string") return undefined;
  // The name is cut before it is cleaned, since it may be as long as a request.
  const plain = cleanLine(said.slice(0, 10 * NAME_CHARS)).replace(/[\p{Quotation_Mark}`\p{C}]/gu, "");
  const name = [...plain.replace(/\s+/g, " ").trim()].slice(0, NAME_CHARS).join("").trim();
  return name === "" ? undefined : name;
}

/** Lists the hosts that are signed in as a publisher, at most 50; the one that came last comes first. */
export async function hostsOf(
  signIns: SignInStore,
  publisherId: string,
  now: number,
): Promise<SignedInHost[]> {
  const renewable = await signIns.renewable(publisherId, now, HOSTS_MAX);
  const hosts = renewable.map(({ payload, expiresAt }) => {
    const { clientId, iiat } = JSON.parse(payload) as { clientId: string; iiat: number };
    return { clientId, iiat, expiresAt, row: signInId("Client", clientId) };
  });
  const clients = await signIns.many([...new Set(hosts.map(({ row }) => row))], now);
  const names = new Map(clients.map(({ id, payload }) => [id, hostName(JSON.parse(payload).client_name)]));
  return hosts.map(({ clientId, iiat, expiresAt, row }) => ({
    // A client that did not register is named by the address of its document.
    name: names.get(row) ?? clientId.slice(0, ADDRESS_CHARS),
    signed_in_at: isoTime(iiat * 1000),
    expires_at: isoTime(expiresAt),
  }));
}
