import { type Advice, BoardError } from "../../board/failures.ts";
import type { SearchIndex } from "../../ports/search-index.ts";
import {
  type Store,
  type StoredPost,
  type StoredPublisher,
  StoreUnavailable,
  type ThreadRoot,
} from "../../ports/store/index.ts";
import { LIMITS, type Post, type PostInput, type PostPatch } from "../../schema/post.ts";
import { flagsOf } from "../flags/index.ts";
import { postResource } from "../resources.ts";
import { newPostId, type Secrets, sha256 } from "../secrets.ts";
import type { Site } from "../site.ts";
import { adviceOnEnded, adviceToEdit } from "./advice.ts";
import { changeOf, definedOf } from "./changes.ts";
import { fingerprint, noteOnDuplicates, noteOnSaidAlready, stormGuard } from "./duplicates.ts";
import {
  checkExpiry,
  checkWindow,
  defaultExpiry,
  extendedExpiry,
  NOTE_ON_REPLY_EXPIRY,
  noteOnPast,
} from "./expiry.ts";
import { hiddenAmong, NOTE_ON_HELD, type Noted, visiblePost } from "./index.ts";
import { noteOnPlace, placedByName } from "./place.ts";
import { asInput, notesOnText, textOf, textsAsSent } from "./text.ts";

/** The log says this of a post that is held. */
const HELD = "one of the first posts of its publisher";

interface Parts {
  store: Store;
  index: SearchIndex;
  site: Site;
  secrets: Secrets;
  /** This many posts of a publisher must be shown before further ones are shown at once; 0 holds none. */
  holdFirst: number;
  /** Each write calls this, so that matching and embedding begin at once. */
  written: () => void;
}

/** Writes, edits and removes posts and replies. */
export class Writing {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Writes a post or a reply, once per idempotency key.
   *
   * @param options.relayed  imported by the operator: a source tells its entries apart by id, so similar ones are not
   *   a storm
   * @throws BoardError `invalid_window`, `invalid_expiry`, `parent_not_found`, `nested_reply`, `duplicate_storm`;
   *   `post_not_found` when the idempotency key belongs to a removed post
   */
  async create(
    input: PostInput,
    publisher: StoredPublisher,
    now: number,
    options: { relayed?: boolean } = {},
  ): Promise<Noted<Post> & { replayed: boolean }> {
    const inputHash = sha256(JSON.stringify(input));
    const parentId = input.parent_id ?? null;
    const key = input.idempotency_key ?? null;
    const id = key === null ? newPostId(parentId) : this.#parts.secrets.postId(publisher.id, key, parentId);
    const idempotencyHash = key === null ? null : sha256(key);
    if (idempotencyHash !== null) {
      const earlier = await this.#parts.store.posts.byIdempotency(publisher.id, idempotencyHash);
      if (earlier !== null) return this.#replay(earlier, inputHash, publisher);
    }

    const dates = { startsAt: input.starts_at ?? null, endsAt: input.ends_at ?? null };
    checkWindow(dates, now);
    const chosen = parentId === null ? (input.expires_at ?? null) : null;
    if (chosen !== null) checkExpiry(chosen, now);

    const written = textOf(input);
    const text = { ...written, title: written.title || (await this.#replyTitle(parentId)) };
    const location = placedByName(text.location, {
      timezone: input.timezone ?? null,
      at: dates.startsAt ?? now,
    });
    const print = fingerprint({ ...text, location, startsAt: dates.startsAt });
    const near = stormGuard(print, now, options);

    const post: StoredPost = {
      ...text,
      location,
      id,
      publisherId: publisher.id,
      kind: input.kind,
      link: input.url ?? null,
      ...dates,
      timezone: input.timezone ?? null,
      // A reply has that of its root.
      expiresAt: chosen ?? defaultExpiry(dates, now, now),
      expiryChosen: chosen !== null,
      sourceUrl: input.source_url ?? null,
      syndicated: input.syndicated ?? false,
      metadata: input.metadata ?? {},
      parentId,
      replyCount: 0,
      lastReplyAt: null,
      flags: flagsOf(textsAsSent(input)),
      fingerprint: print,
      inputHash: key === null ? "" : inputHash,
      idempotencyHash,
      retrievals: 0,
      createdAt: now,
      updatedAt: now,
      writtenNo: 0,
      change: null,
      state: options.relayed === true || !(await this.#holds(publisher)) ? "active" : "hidden",
    };
    // It comes before the post, so that nothing hides without word of why; of a post that is refused nobody reads it.
    if (post.state === "hidden")
      await this.#parts.store.reports.log({
        at: now,
        action: "hide",
        subject: id,
        actor: "hold",
        reason: HELD,
      });
    // It runs beside the insertion, so that the writer does not wait for both. It never fails.
    const saidAlready = this.#saidAlready(post, now, options);
    const result = await this.#parts.store.posts
      .insert(post, { admit: (root) => admitReply(root, now), guard: near.guard })
      .catch((error: unknown) => this.#explain(error, post));
    // The post was inserted between our read and our write: by a racing retry or, without a key, under an id drawn twice.
    if (!result.inserted) {
      if (key !== null) return this.#replay(result.post, inputHash, publisher);
      return this.create(input, publisher, now, options);
    }
    this.#parts.written();
    const noteOnOwn = await noteOnDuplicates(this.#parts.store.posts, near.found());
    return {
      data: postResource(result.post, { ...publisher, postCount: publisher.postCount + 1 }, this.#parts.site),
      notes: [
        ...(post.state === "hidden" ? [NOTE_ON_HELD] : []),
        ...notesOnText(result.post),
        ...(parentId === null || input.expires_at == null ? [] : [NOTE_ON_REPLY_EXPIRY]),
        ...noteOnPast(result.post, now),
        ...noteOnPlace(result.post),
        ...(noteOnOwn.length > 0 ? noteOnOwn : await saidAlready),
      ],
      replayed: false,
    };
  }

  /**
   * Changes the given fields of one's own post; `null` clears a field. A default expiry follows changed dates.
   * @throws BoardError `post_not_found`, `post_hidden`, `not_owner`, `invalid_window`, `invalid_expiry`
   */
  async edit(
    id: string,
    patch: PostPatch,
    caller: StoredPublisher,
    now: number,
  ): Promise<Noted<Post> & { unchanged?: true }> {
    const { post, notes } = await this.#own(id, caller);
    // A whole post sent back names its own page there.
    const { url, ...others } = patch;
    const change = changeOf(post, url === this.#parts.site.post(post.id) ? others : patch, now);
    if (post.parentId !== null && patch.expires_at != null) notes.push(NOTE_ON_REPLY_EXPIRY);
    if (Object.keys(change).length === 0) {
      return {
        data: postResource(post, caller, this.#parts.site),
        notes: [...notes, "Nothing to change was sent."],
        unchanged: true,
      };
    }
    const next = { ...post, ...change };
    checkWindow(next, post.createdAt);
    const textChanged =
      next.title !== post.title ||
      next.body !== post.body ||
      next.tags.join("\n") !== post.tags.join("\n") ||
      next.location?.name !== post.location?.name;
    if (textChanged || change.metadata !== undefined) {
      change.flags = flagsOf(textsAsSent({ ...asInput(post), ...definedOf(patch) }));
    }
    if (textChanged || change.startsAt !== undefined || change.location !== undefined) {
      change.fingerprint = fingerprint(next);
    }
    const updatedAt = Math.max(now, post.updatedAt + 1);
    const options = { text: textChanged, asOf: post.updatedAt };
    const stored = await this.#parts.store.posts.update(id, { ...change, updatedAt }, options);
    // Somebody removed or edited the post meanwhile: window and flags would then mix two versions, and are worked out
    // again.
    if (stored === null) return this.edit(id, patch, caller, now);
    this.#parts.written();
    if (change.flags !== undefined) notes.push(...notesOnText(stored));
    if (change.location !== undefined) notes.push(...noteOnPlace(stored));
    if (change.startsAt !== undefined || change.endsAt !== undefined) notes.push(...noteOnPast(stored, now));
    if (stored.expiresAt <= now) notes.push(adviceOnEnded(id));
    return { data: postResource(stored, caller, this.#parts.site), notes };
  }

  /**
   * Removes one's own post; a root takes its replies with it.
   * @throws BoardError `post_not_found`, `post_hidden`, `not_owner`
   */
  async remove(id: string, caller: StoredPublisher, now: number): Promise<void> {
    await this.#own(id, caller);
    const removed = await this.#parts.store.posts.remove(id, now);
    if (removed.length === 0) throw new BoardError("post_not_found");
  }

  /** Tells whether a post of this publisher waits for a look. Not released ones do not count, however many there are. */
  async #holds({ id }: StoredPublisher): Promise<boolean> {
    const { holdFirst, store } = this.#parts;
    return holdFirst > 0 && (await store.posts.byPublisher(id, holdFirst)).length < holdFirst;
  }

  /** Tells what another publisher said already; what the operator relays, or a reply, repeats what it likes. */
  async #saidAlready(
    post: StoredPost,
    now: number,
    { relayed = false }: { relayed?: boolean },
  ): Promise<Advice[]> {
    if (relayed || post.parentId !== null) return [];
    return noteOnSaidAlready(this.#parts, post, now);
  }

  /** Titles a reply that was sent without a title. Without a root, nothing will be written. */
  async #replyTitle(parentId: string | null): Promise<string> {
    const root = parentId === null ? null : await this.#parts.store.posts.get(parentId);
    return [..."Re: ", ...(root?.title ?? "")].slice(0, LIMITS.titleChars).join("");
  }

  async #own(id: string, caller: StoredPublisher) {
    const found = await visiblePost(this.#parts.store, id, caller);
    if (found.post.publisherId !== caller.id) throw new BoardError("not_owner");
    return found;
  }

  /** Tells why the store kept nothing: the publisher vanished since our read, or nobody may answer the parent. */
  async #explain(error: unknown, { publisherId, parentId }: StoredPost): Promise<never> {
    if (error instanceof StoreUnavailable) throw error;
    if (!(error instanceof BoardError)) {
      const publisher = await this.#parts.store.publishers.get(publisherId);
      if (publisher === null) throw new BoardError("invalid_api_key");
      if (parentId !== null) await this.#checkParent(parentId);
    } else if (parentId !== null && error.code === "parent_not_found") {
      await this.#checkParent(parentId);
    }
    throw error;
  }

  /** @throws BoardError `parent_not_found`, `nested_reply` */
  async #checkParent(parentId: string): Promise<void> {
    const { store } = this.#parts;
    const parent = await store.posts.get(parentId);
    const isOpen = parent?.state === "active" && !(await hiddenAmong(store, [parent])).has(parentId);
    if (parent === null || !isOpen) throw new BoardError("parent_not_found");
    if (parent.parentId !== null) {
      const message = `The root of this thread is ${parent.parentId}.`;
      throw new BoardError("nested_reply", {
        issues: [{ path: "parent_id", code: "nested_reply", message }],
        hint: `Send it again with parent_id "${parent.parentId}", the root of this thread.`,
      });
    }
  }

  async #replay(
    post: StoredPost,
    inputHash: string,
    publisher: StoredPublisher,
  ): Promise<Noted<Post> & { replayed: boolean }> {
    if (post.state === "removed") {
      throw new BoardError("post_not_found", {
        hint: "The post of this idempotency key was removed. Use a new key.",
      });
    }
    const notes: Advice[] = ["This idempotency key was used before; here is the post it made."];
    if (post.inputHash !== inputHash) {
      notes.push(
        adviceToEdit(
          post.id,
          (call) =>
            `What was sent now differs from the first time and changed nothing; to edit the post: ${call}.`,
        ),
      );
    }
    return { data: postResource(post, publisher, this.#parts.site), notes, replayed: true };
  }
}

/**
 * Tells whether a thread takes a reply, and until when it lives then at least.
 * @throws BoardError `parent_not_found`
 */
function admitReply(root: ThreadRoot, now: number): number | null {
  const isOver = root.expiresAt <= now && root.kind !== "thread";
  if (root.state !== "active" || root.suspended || isOver) throw new BoardError("parent_not_found");
  return root.kind === "thread" ? extendedExpiry(root, now) : null;
}
