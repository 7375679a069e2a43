import type { Collection, IndexDescription } from "mongodb";
import type { StoreLog } from "../../../module.ts";
import type { PostDocument } from "../../database/schema/documents.ts";

/** The index whose keys hold what most filters compare. */
export const COUNTED_BY = "list_soonest";
/** The index that has the posts of each tag in order. */
export const NEWEST_BY_TAG = "list_tags_newest";
/** Lists hold active posts only. */
const ACTIVE = { partialFilterExpression: { state: "active" } } as const;

/**
 * Indexes of `posts` for lists by filters alone, beside those of the store (`shown` for a publisher's posts, `thread` for a
 * thread's). A changed index takes a new name, since processes of two releases may be at work.
 */
export const LIST_INDEXES: readonly (IndexDescription & { name: string })[] = [
  { name: "list_newest", key: { is_reply: 1, kind: 1, created_at: -1, _id: -1 }, ...ACTIVE },
  { name: NEWEST_BY_TAG, key: { tags: 1, created_at: -1, _id: -1 }, ...ACTIVE },
  {
    // The key alone shows what is over or suspended: those posts are not read, and counting reads none at all.
    name: COUNTED_BY,
    key: { is_reply: 1, kind: 1, win_start: 1, _id: 1, win_end: 1, expires_at: 1, pub_suspended: 1 },
    ...ACTIVE,
  },
  // Its keys are in the order of places, so the server sorts what it finds.
  { name: "list_geo", key: { is_reply: 1, kind: 1, geo: "2dsphere", win_end: 1, win_start: 1 }, ...ACTIVE },
  {
    name: "list_source",
    key: { source: 1 },
    partialFilterExpression: { state: "active", source: { $type: "string" } },
  },
];

/**
 * Builds these indexes. Only boards whose database has mongot need them: others list from a replica, and each write would
 * pay for them.
 */
export class ListIndexes {
  /** True once all are built. */
  ready = false;
  readonly #posts: Collection<PostDocument>;
  readonly #log: StoreLog;
  #underWay = false;
  #failed = false;

  constructor(options: { posts: Collection<PostDocument>; log: StoreLog }) {
    this.#posts = options.posts;
    this.#log = options.log;
  }

  /**
   * Builds them, or waits for another process that does. Millions of posts take minutes, longer than the driver waits for
   * an answer: the server goes on, and the next call waits again.
   * @param build  false: only looks whether they exist
   */
  async ensure(build: boolean): Promise<void> {
    if (this.ready || this.#underWay) return;
    this.#underWay = true;
    try {
      if (!build && !(await this.#exist())) return;
      // Answers once all are built. Outside `run`: closing the store does not wait for it.
      await this.#posts.createIndexes([...LIST_INDEXES]);
      this.ready = true;
    } catch (error) {
      if (!this.#failed) this.#log.warn({ err: error }, "the indexes of lists are not built yet");
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
