import { LRUCache } from "lru-cache";
import type { SearchIndex } from "../../ports/search-index.ts";
import type { Store, StoredPost } from "../../ports/store/index.ts";
import { LIMITS } from "../../schema/post.ts";
import { filterOf } from "../search/query.ts";

/** Posts whose related ones are remembered: some 300 bytes each. */
const REMEMBERED = 10_000;
/** A new post may be missing from remembered ones this long. */
const REMEMBERED_MS = 60_000;

/**
 * The posts closest to a post in meaning. Finding them is a look at every vector, so a full list is remembered for a
 * minute: as ids only, whose posts are read each time. A shorter list is not: there, every new post counts.
 */
export class RelatedPosts {
  readonly #store: Store;
  readonly #index: SearchIndex;
  readonly #minCosine: () => number;
  readonly #remembered = new LRUCache<string, { ids: string[]; of: number; at: number }>({ max: REMEMBERED });

  /** @param parts.relatedCosine  below it a post is not called related */
  constructor(parts: { store: Store; index: SearchIndex; relatedCosine: () => number }) {
    this.#store = parts.store;
    this.#index = parts.index;
    this.#minCosine = parts.relatedCosine;
  }

  /**
   * Begins to look for them: meanwhile the post can be read.
   * @returns gives at most five active posts, closest first, without the post's parent
   */
  begin(id: string, now: number): (post: StoredPost) => Promise<StoredPost[]> {
    const known = this.#remembered.get(id);
    const isFresh = known !== undefined && now - known.at < REMEMBERED_MS;
    const finding = isFresh ? null : this.#find(id, now);
    // Nobody asks for them when the post cannot be read.
    finding?.catch(() => {});
    return async (post) => {
      if (isFresh && known.of === post.updatedAt) {
        const posts = await this.#read(known.ids, now);
        if (posts.length === known.ids.length) return posts;
      }
      const found = await (finding ?? this.#find(id, now));
      const ids = found.filter((one) => one !== post.parentId).slice(0, LIMITS.relatedInPost);
      if (ids.length === LIMITS.relatedInPost) this.#remembered.set(id, { ids, of: post.updatedAt, at: now });
      return this.#read(ids, now);
    };
  }

  /** Has them found again. */
  forget(id: string): void {
    this.#remembered.delete(id);
  }

  async #read(ids: readonly string[], now: number): Promise<StoredPost[]> {
    if (ids.length === 0) return [];
    const rows = await this.#store.posts.many(ids);
    return rows.filter((row) => row.state === "active" && row.expiresAt > now);
  }

  /** One more than are shown: the post's parent may be among them. */
  #find(id: string, now: number): Promise<string[]> {
    return this.#index.related(id, {
      filter: filterOf({}, now),
      minCosine: this.#minCosine(),
      limit: LIMITS.relatedInPost + 1,
    });
  }
}
