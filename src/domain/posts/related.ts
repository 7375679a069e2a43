import type { SearchIndex } from "../../ports/search-index.ts";
import type { Store, StoredPost } from "../../ports/store/index.ts";
import { LIMITS } from "../../schema/post.ts";
import { filterOf } from "../search/query.ts";

/** The posts closest to a post in meaning, looked for at each reading: so they are right at any moment. */
export class RelatedPosts {
  readonly #store: Store;
  readonly #index: SearchIndex;
  readonly #minCosine: () => number;

  /** @param parts.relatedCosine  below it a post is not called related */
  constructor(parts: { store: Store; index: SearchIndex; relatedCosine: () => number }) {
    this.#store = parts.store;
    this.#index = parts.index;
    this.#minCosine = parts.relatedCosine;
  }

  /** At most five active posts, closest first, without the post's parent. */
  async of(post: StoredPost, now: number): Promise<StoredPost[]> {
    const found = await this.#index.related(post.id, {
      filter: filterOf({}, now),
      minCosine: this.#minCosine(),
      // One more than are shown: the post's parent may be among them.
      limit: LIMITS.relatedInPost + 1,
    });
    const ids = found.filter((id) => id !== post.parentId).slice(0, LIMITS.relatedInPost);
    if (ids.length === 0) return [];
    const rows = await this.#store.posts.many(ids);
    return rows.filter((row) => row.state === "active" && row.expiresAt > now);
  }
}
