import { BoardError } from "../../board/failures.ts";
import { DAY_MS } from "../../platform/time.ts";
import type { Outbound } from "../../ports/outbound.ts";
import type { ErasedPublisher, Store, StoredPublisher } from "../../ports/store/index.ts";
import type { Post } from "../../schema/post.ts";
import type {
  Publisher,
  PublisherInput,
  PublisherPatch,
  Recovery,
  SignedInHost,
  VerifyInstructions,
} from "../../schema/publisher.ts";
import { cleanLine, cleanMultiline } from "../../schema/text.ts";
import { type Noted, noteOnSuspension, type Posts } from "../posts/index.ts";
import { publisherResource } from "../resources.ts";
import { newApiKey, newId, newToken, sha256 } from "../secrets.ts";
import type { Site } from "../site.ts";
import { refuseUrl } from "../url-refusal.ts";
import { boardTxt, domainOf, findProof, instructionsFor } from "./domain-proof.ts";
import { hostsOf } from "./hosts.ts";
import { acceptsInvite } from "./invites.ts";
import { recoverKey } from "./recovery.ts";

const RECENT_POSTS = 10;
/** A proof that cannot be checked counts this much longer. */
const PATIENCE_MS = 7 * DAY_MS;

const STILL_IN_THE_LOG =
  "Everything of yours is erased and found nowhere on the board. Older copies are still in the database's log, because another program reads the database just now; the board drops them by itself within a minute after that ends, also after a restart.";

/** Anybody may register, or nobody, or whoever has a code of the operator. */
export type Registration = "open" | "closed" | "invite";

/** Keeps publishers: registration, edits, keys, proof of a domain, and erasure. */
export class Publishers {
  readonly #store: Store;
  readonly #outbound: Outbound;
  readonly #site: Site;
  readonly #posts: Posts;

  readonly #registration: Registration;

  constructor(parts: {
    store: Store;
    outbound: Outbound;
    site: Site;
    posts: Posts;
    registration: Registration;
  }) {
    this.#registration = parts.registration;
    this.#store = parts.store;
    this.#outbound = parts.outbound;
    this.#site = parts.site;
    this.#posts = parts.posts;
  }

  /**
   * An agent that registers with a key is somebody already, and would lose its posts to a second identity.
   * @throws BoardError `already_registered`
   */
  refuseSecond(caller: StoredPublisher | null): void {
    if (caller === null) return;
    const who = `You already are ${caller.id} ${JSON.stringify(caller.name)} (this key). Nothing was registered.`;
    const change =
      "To change the name: PATCH /publishers/me; the website: POST /publishers/verify with `url`";
    const hint = `${who} ${change}; a new key: POST /publishers/me/rotate-key (all over REST, or on the page /join); another publisher: leave the key out.`;
    throw new BoardError("already_registered", { hint });
  }

  /** Makes a new publisher with its key, which is shown only here. */
  async register(
    input: PublisherInput,
    now: number,
  ): Promise<Publisher & { api_key: string; verify: VerifyInstructions }> {
    if (this.#registration === "closed") throw new BoardError("registration_closed");
    if (this.#registration === "invite" && !(await acceptsInvite(this.#store, input.invite, now)))
      throw new BoardError("invite_needed");
    const apiKey = newApiKey();
    const domain = domainOf(input.url ?? null);
    const publisher: StoredPublisher = {
      id: newId("pub"),
      name: cleanLine(input.name),
      description: cleanDescription(input.description),
      url: input.url ?? null,
      domain,
      verifyToken: domain === null ? null : newToken(),
      verifiedAt: null,
      verifiedVia: null,
      checkedAt: null,
      suspendedAt: null,
      keyHash: sha256(apiKey),
      recovery: null,
      postCount: 0,
      createdAt: now,
    };
    await this.#store.publishers.insert(publisher);
    return {
      ...publisherResource(publisher, this.#site),
      api_key: apiKey,
      verify: instructionsFor(publisher),
    };
  }

  /** @throws BoardError `publisher_not_found` */
  async read(id: string): Promise<Publisher & { recent_posts: Post[] }> {
    const publisher = await this.#store.publishers.get(id);
    if (publisher === null) throw new BoardError("publisher_not_found");
    const rows = await this.#store.posts.byPublisher(id, RECENT_POSTS);
    return { ...publisherResource(publisher, this.#site), recent_posts: await this.#posts.shown(rows) };
  }

  /** Shows the caller as it sees itself. */
  async readOwn(
    caller: StoredPublisher,
  ): Promise<Noted<Publisher & { verify: VerifyInstructions; suspended: boolean }>> {
    const data = {
      ...publisherResource(caller, this.#site),
      verify: instructionsFor(caller),
      suspended: caller.suspendedAt !== null,
    };
    const note = await noteOnSuspension(this.#store, caller);
    return { data, notes: note === null ? [] : [note] };
  }

  /** Lists the hosts that are signed in as the caller, at most 50; null where no host can sign in. */
  async hosts(caller: StoredPublisher, now: number): Promise<SignedInHost[] | null> {
    return this.#site.me === null ? null : hostsOf(this.#store.signIns, caller.id, now);
  }

  /** Changes the name or the description; posts, pages and feeds show them from the next request on. */
  async edit(caller: StoredPublisher, { name, description }: PublisherPatch): Promise<Publisher> {
    const changed = await this.#update(caller.id, () =>
      name === undefined && description === undefined
        ? null
        : {
            ...(name !== undefined && { name: cleanLine(name) }),
            ...(description !== undefined && { description: cleanDescription(description) }),
          },
    );
    return publisherResource(changed, this.#site);
  }

  /** Makes a new key; the old one fails on the next request of every instance. */
  async rotateKey(
    caller: StoredPublisher,
    options: { signOutHosts: boolean },
  ): Promise<{ id: string; api_key: string }> {
    const apiKey = newApiKey();
    const keyHash = sha256(apiKey);
    // One of two rotations at once fails: a key that was handed out must work.
    const changed = await this.#update(caller.id, (row) =>
      row.keyHash === caller.keyHash ? { keyHash } : null,
    );
    if (changed.keyHash !== keyHash) throw new BoardError("invalid_api_key");
    if (options.signOutHosts) {
      await this.#store.signIns.remove("publisherId", caller.id);
      // A host that is signed out is sent nothing more.
      const { subscriptions } = this.#store;
      for (const { id, event, webhookUrl } of await subscriptions.ofPublisher(caller.id))
        if (event !== null && webhookUrl !== null) await subscriptions.remove(id);
    }
    return { id: caller.id, api_key: apiKey };
  }

  /**
   * Looks for the proof of the caller's domain; a new `url` is saved first and drops an older proof.
   * @returns `via` is null when no proof was found
   * @throws BoardError `invalid_url` for a new `url` whose host the board may not call
   */
  async verify(
    caller: StoredPublisher,
    url: string | null,
    now: number,
  ): Promise<{ publisher: Publisher; verify: VerifyInstructions; via: "dns" | "file" | null }> {
    let publisher = caller;
    if (url !== null && url !== caller.url) {
      refuseUrl(this.#outbound, boardTxt(new URL(url).hostname), "url");
      const domain = domainOf(url);
      const kept = domain !== null && domain === caller.domain ? caller.verifyToken : null;
      publisher = await this.#update(caller.id, {
        url,
        domain,
        verifyToken: domain === null ? null : (kept ?? newToken()),
        verifiedAt: null,
        verifiedVia: null,
        checkedAt: null,
      });
    }
    const { row, via } = await this.#look(publisher, now);
    return { publisher: publisherResource(row, this.#site), verify: instructionsFor(row), via };
  }

  /** See `recoverKey`. */
  recover(id: string, secret: string | null, now: number): Promise<Recovery> {
    return recoverKey({ store: this.#store, outbound: this.#outbound }, id, secret, now);
  }

  /** Erases the caller and everything it wrote. */
  async erase(caller: StoredPublisher): Promise<Noted<ErasedPublisher>> {
    const erased = await this.#store.publishers.erase(caller.id);
    if (erased === null) throw new BoardError("invalid_api_key");
    return { data: erased, notes: erased.complete ? [] : [STILL_IN_THE_LOG] };
  }

  /**
   * Checks proofs again that were last checked before `before`, at most `limit`. One that cannot be checked, since the
   * site or DNS does not answer, counts for another week: an outage, perhaps the board's own, proves nothing.
   *
   * @param held  called before each one; false ends the run
   * @returns how many were checked
   */
  async recheck(
    before: number,
    limit: number,
    now: number,
    held: () => Promise<boolean> = () => Promise.resolve(true),
  ): Promise<number> {
    const due = await this.#store.publishers.dueForCheck(before, limit);
    for (const [i, publisher] of due.entries()) {
      if (!(await held())) return i;
      const isLate = (publisher.checkedAt ?? 0) < before - PATIENCE_MS;
      await this.#look(publisher, now, { patient: !isLate }).catch((error: unknown) => {
        // A publisher that erased itself meanwhile needs no proof any more.
        if (!(error instanceof BoardError)) throw error;
      });
    }
    return due.length;
  }

  async #update(id: string, change: Parameters<Store["publishers"]["update"]>[1]): Promise<StoredPublisher> {
    const changed = await this.#store.publishers.update(id, change);
    if (changed === null) throw new BoardError("invalid_api_key");
    return changed;
  }

  /**
   * Looks for a proof, which takes seconds, and keeps the result unless another domain was named meanwhile.
   *
   * @param options.patient  leaves everything as it is when the proof cannot be checked
   */
  async #look(
    publisher: StoredPublisher,
    now: number,
    options: { patient: boolean } = { patient: false },
  ): Promise<{ row: StoredPublisher; via: "dns" | "file" | null }> {
    const { verifyToken } = publisher;
    const proof = await findProof(this.#outbound, publisher);
    if (proof === "unclear" && options.patient) return { row: publisher, via: null };
    const via = proof === "unclear" ? null : proof;
    const row = await this.#update(publisher.id, (current) =>
      current.verifyToken === verifyToken
        ? { verifiedAt: via === null ? null : (current.verifiedAt ?? now), verifiedVia: via, checkedAt: now }
        : null,
    );
    return { row, via: row.verifyToken === verifyToken ? via : null };
  }
}

const cleanDescription = (sent: string | null | undefined) => cleanMultiline(sent ?? "") || null;
