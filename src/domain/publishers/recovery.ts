import { BoardError } from "../../board/failures.ts";
import { DAY_MS } from "../../platform/time.ts";
import type { Outbound } from "../../ports/outbound.ts";
import type { PublisherStore, SignInStore, StoredPublisher } from "../../ports/store/index.ts";
import type { Recovery } from "../../schema/publisher.ts";
import { isoTime } from "../resources.ts";
import { newApiKey, newToken, sha256 } from "../secrets.ts";
import { boardTxt, findProof } from "./domain-proof.ts";

/** The holder of the old key has this long to object. */
const OBJECTION_MS = DAY_MS;

interface Parts {
  store: { publishers: PublisherStore; signIns: SignInStore };
  outbound: Outbound;
}

/**
 * Gives a new key for a verified publisher that lost its own, by a second proof of its domain. Whoever begins gets a
 * secret; its hash is the proof to publish, so a proof that stands there serves nobody else. From the moment it is found, a
 * call with the old key within a day ends the recovery; after that day the secret is exchanged for a new key.
 *
 * @param secret  of a recovery that was begun before; null begins one
 * @throws BoardError `publisher_not_found`, likewise for a publisher that is not verified
 */
export async function recoverKey(
  { store, outbound }: Parts,
  id: string,
  secret: string | null,
  now: number,
): Promise<Recovery> {
  const publisher = await store.publishers.get(id);
  const domain = publisher?.domain ?? null;
  if (publisher === null || domain === null || publisher.verifiedAt === null)
    throw new BoardError("publisher_not_found", { hint: ONLY_VERIFIED });
  const recovery = secret ?? newToken();
  const token = sha256(recovery).slice(0, 40);
  const value = `board-recover=${id}:${token}`;
  const proof = {
    id,
    domain,
    recovery,
    dns: { type: "TXT" as const, name: `_board.${domain}`, value },
    file: { url: boardTxt(domain), line: value },
  };
  const again = `POST /publishers/recover with \`id\` and \`recovery\``;
  if (secret === null)
    return {
      ...proof,
      next: `Set the TXT record or serve the line in the file, beside what is there, then call ${again}. Keep \`recovery\` secret.`,
    };

  const via = await findProof(outbound, publisher, value);
  if (via === null || via === "unclear")
    return {
      ...proof,
      next: `The proof was not found yet. Set the TXT record or serve the line in the file, then call ${again}.`,
    };
  const begun = stageOf(publisher);
  if (begun?.token !== token) {
    await store.publishers.update(id, { recovery: `${now} ${token}` });
    return {
      ...proof,
      ready_at: isoTime(now + OBJECTION_MS),
      next: `The proof was found. Leave it there, and call ${again} after \`ready_at\`; a call with the old key before that ends the recovery.`,
    };
  }
  if (now < begun.at + OBJECTION_MS)
    return {
      ...proof,
      ready_at: isoTime(begun.at + OBJECTION_MS),
      next: `Not yet: call ${again} after \`ready_at\`.`,
    };
  const apiKey = newApiKey();
  const keyHash = sha256(apiKey);
  // The old key may have been used a moment ago, or the recovery finished elsewhere.
  const changed = await store.publishers.update(id, (row) =>
    row.recovery === publisher.recovery ? { keyHash, recovery: null } : null,
  );
  if (changed?.keyHash !== keyHash)
    return {
      ...proof,
      next: `The old key was used meanwhile, which ended the recovery. To begin again: POST /publishers/recover with \`id\`.`,
    };
  await store.signIns.remove("publisherId", id);
  return {
    id,
    domain,
    api_key: apiKey,
    next: "Keep the key. The old one, and every sign-in, has ended; the proof may be taken away.",
  };
}

const ONLY_VERIFIED =
  "Only a verified publisher gets a new key by its domain. Check the id (pub_…); any other registers again.";

/** Tells since when a recovery waits, and whose; null where none does. */
function stageOf({ recovery }: StoredPublisher): { at: number; token: string } | null {
  if (recovery === null) return null;
  const [at = "0", token = ""] = recovery.split(" ");
  return { at: Number(at), token };
}

/** Ends a recovery that waits, since the old key is in use. @returns what to tell its holder */
export async function objectTo(publishers: PublisherStore, { id }: StoredPublisher): Promise<string> {
  await publishers.update(id, (row) => (row.recovery === null ? null : { recovery: null }));
  return "Somebody who controls your domain asked for a new key of yours; this call, with the present one, ended that. If it was not you, look at who can change the domain's DNS records and files.";
}
