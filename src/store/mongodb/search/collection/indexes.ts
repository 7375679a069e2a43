import type { Collection, IndexDescription } from "mongodb";
import type { StoreLog } from "../../../module.ts";
import type { PostDocument } from "../../schema/documents.ts";

/** The index whose keys hold what most filters compare. */
export const COUNTED_BY = "list_soonest";
/** The index that has the posts of each tag in order. */
export const NEWEST_BY_TAG = "list_tags_newest";
/** Other posts are in no list. */
const ACTIVE = { partialFilterExpression: { state: "active" } } as const;

/**
 * Indexes of `posts` that lists by filters alone are read from, beside those of the store (a publisher's posts: `shown`; a
 * thread's: `thread`). An index of another form takes another name, since processes of two releases may be at work.
 */
export const LIST_INDEXES: readonly (IndexDescription & { name: string })[] = [
  { name: "list_newest", key: { is_reply: 1, kind: 1, created_at: -1, _id: -1 }, ...ACTIVE },
  { name: NEWEST_BY_TAG, key: { tags: 1, created_at: -1, _id: -1 }, ...ACTIVE },
  {
    // With what is over and what is suspended told by the key: neither they nor what is only counted has to be read.
    name: COUNTED_BY,
    key: { is_reply: 1, kind: 1, win_start: 1, _id: 1, win_end: 1, expires_at: 1, pub_suspended: 1 },
    ...ACTIVE,
  },
  // In order of place: what it finds is sorted.
  { name: "list_geo", key: { is_reply: 1, kind: 1, geo: "2dsphere", win_end: 1, win_start: 1 }, ...ACTIVE },
];

/**
 * Sees to it that they are there. Only boards whose database has mongot need them: others list from a replica, and should
 * not pay for them at each write.
 */
export class ListIndexes {
  /** True once all are built. */
  ready = false;
  readonly #posts: Collection<PostDocument>;
  readonly #log: StoreLog;
  #underWay = false;
  #failed = false;

  constructor(parts: { posts: Collection<PostDocument>; log: StoreLog }) {
    this.#posts = parts.posts;
    this.#log = parts.log;
  }

  /**
   * Makes them, or waits for whoever does. That takes minutes for millions of posts, longer than the driver waits for an
   * answer: the server goes on, and the next call waits again.
   * @param make  false: only looks whether they were made before
   */
  async see(make: boolean): Promise<void> {
    if (this.ready || this.#underWay) return;
    this.#underWay = true;
    try {
      if (!make && !(await this.#exist())) return;
      // Answers when the last one is built, and at once when all are. Outside of `run`: the store's end does not wait for it.
      await this.#posts.createIndexes([...LIST_INDEXES]);
      this.ready = true;
    } catch (error) {
      if (!this.#failed) this.#log.warn({ err: error }, "the indexes of lists are not made yet");
      this.#failed = true;
    } finally {
      this.#underWay = false;
    }
  }

  async #exist(): Promise<boolean> {
    const there = new Set((await this.#posts.indexes()).map(({ name }) => name));
    return LIST_INDEXES.every(({ name }) => there.has(name));
  }
}
