import { BoardError } from "../failures.ts";
import type { SearchIndex } from "../ports/search-index.ts";
import type { Store, StoredPost, StoredPublisher } from "../ports/store.ts";
import { LIMITS, type Post, type PostInput, type PostPatch, type PostWithContext } from "../schema/post.ts";
import type { Cursors } from "./cursors.ts";
import { checkExpiry, checkWindow, defaultExpiry, noteOnPast, threadExpiry } from "./expiry.ts";
import { fingerprint } from "./fingerprint.ts";
import { flagsOf } from "./flags.ts";
import { nearDuplicates, noteOnDuplicates, refuseStorm } from "./near-duplicates.ts";
import { changeOf, definedOf } from "./post-change.ts";
import { asInput, notesOnText, refuseBoardKeys, textOf, textsAsSent } from "./post-text.ts";
import { filterOf } from "./query.ts";
import { newPostId, type Secrets, sha256 } from "./secrets.ts";
import type { Site } from "./site.ts";
import { postOf } from "./wire.ts";

/** A post, with sentences its reader should know (`meta.note`). */
export interface Noted<T> {
  data: T;
  notes: string[];
}

/** The rules of posts: writing, reading, editing, removing, and replies. */
export class Posts {
  readonly #store: Store;
  readonly #index: SearchIndex;
  readonly #site: Site;
  readonly #secrets: Secrets;
  readonly #cursors: Cursors;
  /** Cosine below which a post is not called related. */
  readonly #relatedCosine: number;
  readonly #written: () => void;

  /** @param parts.written  called after each write, so that matching and embedding begin at once */
  constructor(parts: {
    store: Store;
    index: SearchIndex;
    site: Site;
    secrets: Secrets;
    cursors: Cursors;
    relatedCosine: number;
    written: () => void;
  }) {
    this.#store = parts.store;
    this.#index = parts.index;
    this.#site = parts.site;
    this.#secrets = parts.secrets;
    this.#cursors = parts.cursors;
    this.#relatedCosine = parts.relatedCosine;
    this.#written = parts.written;
  }

  /**
   * Writes a post or a reply, once per idempotency key.
   *
   * @param options.relayed  the operator imports it: entries of a source are told apart by their ids there, so that
   *   alike ones are no storm
   * @throws BoardError `contains_api_key`, `invalid_window`, `invalid_expiry`, `parent_not_found`, `nested_reply`,
   *   `duplicate_storm`; `post_not_found` when the idempotency key belongs to a removed post
   */
  async create(
    input: PostInput,
    publisher: StoredPublisher,
    now: number,
    options: { relayed?: boolean } = {},
  ): Promise<Noted<Post> & { replayed: boolean }> {
    refuseBoardKeys(input);
    const inputHash = sha256(JSON.stringify(input));
    const parentId = input.parent_id ?? null;
    const key = input.idempotency_key ?? null;
    const id = key === null ? newPostId(parentId) : this.#secrets.postId(publisher.id, key, parentId);
    const idempotencyHash = key === null ? null : sha256(key);
    if (idempotencyHash !== null) {
      const earlier = await this.#store.posts.byIdempotency(publisher.id, idempotencyHash);
      if (earlier !== null) return this.#replay(earlier, inputHash, publisher);
    }

    const dates = { startsAt: input.starts_at ?? null, endsAt: input.ends_at ?? null };
    checkWindow(dates, now);
    const chosen = input.expires_at ?? null;
    if (chosen !== null) checkExpiry(chosen, now);
    const parent = parentId === null ? null : await this.#parent(parentId, now);

    const text = textOf(input);
    const print = fingerprint(`${text.title}\n${text.body}`);
    const near = await nearDuplicates(this.#store.posts, publisher.id, print, now);
    if (options.relayed !== true) refuseStorm(near, now);
    const noteOnNear = await noteOnDuplicates(this.#store.posts, near);

    const post: StoredPost = {
      ...text,
      id,
      publisherId: publisher.id,
      kind: input.kind,
      link: input.url ?? null,
      ...dates,
      timezone: input.timezone ?? null,
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
      inputHash,
      idempotencyHash,
      retrievals: 0,
      createdAt: now,
      updatedAt: now,
      state: "active",
    };
    const result = await this.#store.posts
      .insert(post, parent?.kind === "thread" ? { parentExpiresAt: threadExpiry(now) } : {})
      .catch((error: unknown) => this.#explain(error, post));
    // Somebody else inserted it between our look and our write: a racing retry, or (without a key) an id drawn twice.
    if (!result.inserted) {
      if (key !== null) return this.#replay(result.post, inputHash, publisher);
      return this.create(input, publisher, now, options);
    }
    this.#written();
    return {
      data: postOf(result.post, { ...publisher, postCount: publisher.postCount + 1 }, this.#site),
      notes: [...notesOnText(result.post), ...noteOnPast(result.post, now), ...noteOnNear],
      replayed: false,
    };
  }

  /**
   * One post with its first replies and related posts. Its owner also sees a hidden one.
   * @throws BoardError `post_not_found`, `post_hidden`
   */
  async read(id: string, caller: StoredPublisher | null, now: number): Promise<Noted<PostWithContext>> {
    const { post, notes } = await this.#visible(id, caller);
    if (post.expiresAt <= now) notes.push("This post has expired.");
    const [replies, related] = await Promise.all([
      this.#store.posts.replies(id, { after: null, limit: LIMITS.repliesInPost }),
      this.#related(post, now),
    ]);
    const [first, ...rest] = await this.onWire([post, ...replies, ...related]);
    if (first === undefined) throw new BoardError("post_not_found");
    return {
      data: { ...first, replies: rest.slice(0, replies.length), related: rest.slice(replies.length) },
      notes,
    };
  }

  /**
   * Replies of a post, oldest first.
   * @throws BoardError `post_not_found`, `post_hidden`, `invalid_cursor`
   */
  async replies(
    id: string,
    caller: StoredPublisher | null,
    page: { cursor: string | undefined; limit: number },
  ): Promise<{ posts: Post[]; nextCursor: string | null }> {
    await this.#visible(id, caller);
    const list = `replies ${id}`;
    const after = this.#cursors.readPlace(list, page.cursor);
    const rows = await this.#store.posts.replies(id, { after, limit: page.limit + 1 });
    const shown = rows.slice(0, page.limit);
    const last = shown.at(-1);
    const more = rows.length > page.limit && last !== undefined;
    return {
      posts: await this.onWire(shown),
      nextCursor: more ? this.#cursors.writePlace(list, { at: last.createdAt, id: last.id }) : null,
    };
  }

  /**
   * Changes the given fields of one's own post; `null` clears a field. An expiry that was a default follows changed dates.
   * @throws BoardError `post_not_found`, `post_hidden`, `not_owner`, `contains_api_key`, `invalid_window`, `invalid_expiry`
   */
  async edit(id: string, patch: PostPatch, caller: StoredPublisher, now: number): Promise<Noted<Post>> {
    const { post, notes } = await this.#visible(id, caller);
    if (post.publisherId !== caller.id) throw new BoardError("not_owner");
    refuseBoardKeys(patch);
    const change = changeOf(post, patch, now);
    if (Object.keys(change).length === 0) {
      return { data: postOf(post, caller, this.#site), notes: [...notes, "Nothing to change was sent."] };
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
    if (textChanged) {
      change.fingerprint = fingerprint(`${next.title}\n${next.body}`);
    }
    const updatedAt = Math.max(now, post.updatedAt + 1);
    const options = { text: textChanged, asOf: post.updatedAt };
    const stored = await this.#store.posts.update(id, { ...change, updatedAt }, options);
    // Removed meanwhile, or edited: then window and flags are those of two halves, and are worked out again.
    if (stored === null) return this.edit(id, patch, caller, now);
    this.#written();
    if (change.flags !== undefined) notes.push(...notesOnText(stored));
    if (change.startsAt !== undefined || change.endsAt !== undefined) notes.push(...noteOnPast(stored, now));
    if (stored.expiresAt <= now) {
      notes.push("This post has expired, so nobody finds it; a later `expires_at` brings it back.");
    }
    return { data: postOf(stored, caller, this.#site), notes };
  }

  /**
   * Removes one's own post; a root takes its replies along.
   * @throws BoardError `post_not_found`, `post_hidden`, `not_owner`
   */
  async remove(id: string, caller: StoredPublisher, now: number): Promise<void> {
    const { post } = await this.#visible(id, caller);
    if (post.publisherId !== caller.id) throw new BoardError("not_owner");
    const removed = await this.#store.posts.remove(id, now);
    if (removed.length === 0) throw new BoardError("post_not_found");
  }

  /**
   * Stored posts as the wire shows them, in order; those whose publisher is gone are left out.
   * @param options.suspended  false leaves out those of suspended publishers too
   */
  async onWire(posts: readonly StoredPost[], options = { suspended: true }): Promise<Post[]> {
    const ids = [...new Set(posts.map((post) => post.publisherId))];
    const publishers = new Map((await this.#store.publishers.many(ids)).map((row) => [row.id, row]));
    return posts.flatMap((post) => {
      const publisher = publishers.get(post.publisherId);
      const shown = publisher !== undefined && (options.suspended || publisher.suspendedAt === null);
      return shown ? [postOf(post, publisher, this.#site)] : [];
    });
  }

  async #visible(id: string, caller: StoredPublisher | null): Promise<{ post: StoredPost; notes: string[] }> {
    const post = await this.#store.posts.get(id);
    if (post === null || post.state === "removed") throw new BoardError("post_not_found");
    if (post.state === "active") return { post, notes: [] };
    if (post.publisherId !== caller?.id) throw new BoardError("post_hidden");
    return {
      post,
      notes: ["This post is hidden after reports; only you see it until the operator restores it."],
    };
  }

  /** Why the store kept nothing: publisher or parent went between our look and our write. */
  async #explain(error: unknown, { publisherId, parentId }: StoredPost): Promise<never> {
    if ((await this.#store.publishers.get(publisherId)) === null) throw new BoardError("invalid_api_key");
    const parent = parentId === null ? null : await this.#store.posts.get(parentId);
    if (parentId !== null && (parent === null || parent.state === "removed")) {
      throw new BoardError("parent_not_found");
    }
    throw error;
  }

  async #parent(parentId: string, now: number): Promise<StoredPost> {
    const parent = await this.#store.posts.get(parentId);
    if (parent === null || parent.state !== "active") throw new BoardError("parent_not_found");
    if (parent.parentId !== null) {
      throw new BoardError("nested_reply", {
        issues: [
          {
            path: "parent_id",
            code: "nested_reply",
            message: `The root of this thread is ${parent.parentId}.`,
          },
        ],
        hint: `Send it again with parent_id "${parent.parentId}", the root of this thread.`,
      });
    }
    if (parent.expiresAt <= now && parent.kind !== "thread") throw new BoardError("parent_not_found");
    return parent;
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
    const notes = ["This idempotency key was used before; here is the post it made."];
    if (post.inputHash !== inputHash) {
      notes.push(
        `The body sent now differs from the first one and changed nothing; to edit the post, PATCH /posts/${post.id}.`,
      );
    }
    return { data: postOf(post, publisher, this.#site), notes, replayed: true };
  }

  async #related(post: StoredPost, now: number): Promise<StoredPost[]> {
    const [vector] = await this.#index.vectors([post.id]);
    if (vector === null || vector === undefined) return [];
    const { matches } = await this.#index.match(
      {
        filter: filterOf({}, now),
        words: null,
        vector,
        minCosine: this.#relatedCosine,
      },
      {
        limit: LIMITS.relatedInPost,
        except: new Set([post.id, ...(post.parentId === null ? [] : [post.parentId])]),
      },
    );
    const rows = await this.#store.posts.many(matches.map((match) => match.id));
    return rows.filter((row) => row.state === "active");
  }
}
