import { BoardError } from "../../failures.ts";
import type { SearchIndex } from "../../ports/search-index.ts";
import type { Store, StoredPost, StoredPublisher } from "../../ports/store/index.ts";
import { LIMITS, type Post, type PostWithContext } from "../../schema/post.ts";
import { type Cursors, cutPage } from "../cursors.ts";
import { postResource } from "../resources.ts";
import type { Site } from "../site.ts";
import { RelatedPosts } from "./related.ts";

/** Data, with notes for its reader (`meta.note`). */
export interface Noted<T> {
  data: T;
  notes: string[];
}

/** Posts as they are read, with their replies and related posts. */
export class Posts {
  readonly #store: Store;
  readonly #site: Site;
  readonly #cursors: Cursors;
  readonly #related: RelatedPosts;

  constructor(parts: {
    store: Store;
    index: SearchIndex;
    site: Site;
    cursors: Cursors;
    /** Cosine below which a post is not called related. */
    relatedCosine: number;
  }) {
    this.#store = parts.store;
    this.#site = parts.site;
    this.#cursors = parts.cursors;
    this.#related = new RelatedPosts(parts);
  }

  /**
   * One post with its first replies and related posts. Its owner also sees a hidden one. Of a suspended publisher only
   * the post asked for by its id is shown.
   * @throws BoardError `post_not_found`, `post_hidden`
   */
  async read(id: string, caller: StoredPublisher | null, now: number): Promise<Noted<PostWithContext>> {
    const { post, notes } = await visiblePost(this.#store, id, caller);
    if (post.expiresAt <= now) notes.push("This post has expired.");
    const [replies, related] = await Promise.all([
      this.#store.posts.replies(id, { after: null, limit: LIMITS.repliesInPost }),
      this.#related.of(post, now),
    ]);
    const publishers = await this.#publishersOf([post, ...replies, ...related]);
    const [shown] = this.#shown([post], publishers, { suspended: true });
    if (shown === undefined) throw new BoardError("post_not_found");
    const answers = this.#shown(replies, publishers, { suspended: false });
    const similar = this.#shown(related, publishers, { suspended: false });
    // Found again at the next reading, without the posts of a publisher suspended meanwhile.
    if (similar.length < related.length) this.#related.forget(id);
    return { data: { ...shown, replies: answers, related: similar }, notes };
  }

  /**
   * Replies of a post, oldest first, without those of suspended publishers.
   * @throws BoardError `post_not_found`, `post_hidden`, `invalid_cursor`
   */
  async replies(
    id: string,
    caller: StoredPublisher | null,
    page: { cursor: string | undefined; limit: number },
  ): Promise<{ posts: Post[]; nextCursor: string | null }> {
    await visiblePost(this.#store, id, caller);
    const list = `replies ${id}`;
    const after = this.#cursors.readPlace(list, page.cursor);
    const rows = await this.#store.posts.replies(id, { after, limit: page.limit + 1 });
    const { shown, last } = cutPage(rows, page.limit);
    return {
      posts: await this.resources(shown, { suspended: false }),
      nextCursor: last === null ? null : this.#cursors.writePlace(list, { at: last.createdAt, id: last.id }),
    };
  }

  /**
   * Stored posts as callers see them, in order, without those whose publisher is gone.
   * @param options.suspended  false leaves out those of suspended publishers too
   */
  async resources(posts: readonly StoredPost[], options = { suspended: true }): Promise<Post[]> {
    return this.#shown(posts, await this.#publishersOf(posts), options);
  }

  /**
   * The posts among these that anyone may see now, by id: some may have been removed or hidden since their ids were
   * read.
   */
  async visible(ids: readonly string[]): Promise<Map<string, Post>> {
    const rows = await this.#store.posts.many([...new Set(ids)]);
    const active = rows.filter(({ state }) => state === "active");
    return new Map((await this.resources(active, { suspended: false })).map((post) => [post.id, post]));
  }

  /** The publishers of posts, read in one statement. */
  async #publishersOf(posts: readonly StoredPost[]): Promise<Map<string, StoredPublisher>> {
    const ids = [...new Set(posts.map((post) => post.publisherId))];
    return new Map((await this.#store.publishers.many(ids)).map((row) => [row.id, row]));
  }

  #shown(
    posts: readonly StoredPost[],
    publishers: ReadonlyMap<string, StoredPublisher>,
    options: { suspended: boolean },
  ): Post[] {
    return posts.flatMap((post) => {
      const publisher = publishers.get(post.publisherId);
      const shown = publisher !== undefined && (options.suspended || publisher.suspendedAt === null);
      return shown ? [postResource(post, publisher, this.#site)] : [];
    });
  }
}

/**
 * A post that is not removed, for a caller who may see it; a hidden one is for its owner only.
 * @throws BoardError `post_not_found`, `post_hidden`
 */
export async function visiblePost(
  store: Store,
  id: string,
  caller: StoredPublisher | null,
): Promise<{ post: StoredPost; notes: string[] }> {
  const post = await store.posts.get(id);
  if (post === null || post.state === "removed") throw new BoardError("post_not_found");
  if (post.state === "active") return { post, notes: [] };
  if (post.publisherId !== caller?.id) throw new BoardError("post_hidden");
  return {
    post,
    notes: ["This post is hidden after reports; only you see it until the operator restores it."],
  };
}
