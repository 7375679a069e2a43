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

  /** At most five active posts, closest first, without the post's parent. */
  async of(post: StoredPost, now: number): Promise<StoredPost[]> {
    const known = this.#remembered.get(post.id);
    if (known !== undefined && known.of === post.updatedAt && now - known.at < REMEMBERED_MS) {
      const posts = await this.#read(known.ids, now);
      if (posts.length === known.ids.length) return posts;
    }
    const ids = await this.#find(post, now);
    if (ids.length === LIMITS.relatedInPost) {
      this.#remembered.set(post.id, { ids, of: post.updatedAt, at: now });
    }
    return this.#read(ids, now);
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

  #find(post: StoredPost, now: number): Promise<string[]> {
    return this.#index.related(post.id, {
      filter: filterOf({}, now),
      minCosine: this.#minCosine(),
      limit: LIMITS.relatedInPost,
      except: new Set(post.parentId === null ? [] : [post.parentId]),
    });
  }
}
