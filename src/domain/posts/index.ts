import { type Advice, BoardError } from "../../board/failures.ts";
import type { SearchIndex } from "../../ports/search-index.ts";
import type {
  ModerationEntry,
  ShownRows,
  Store,
  StoredPost,
  StoredPublisher,
  ToldChange,
} from "../../ports/store/index.ts";
import { LIMITS, type Post, type PostWithContext } from "../../schema/post.ts";
import type { GonePost } from "../../schema/subscription.ts";
import { zoneOf } from "../../schema/time/local-time.ts";
import { type Cursors, cutPage } from "../cursors.ts";
import { postResource } from "../resources.ts";
import { filterOf } from "../search/query.ts";
import type { Site } from "../site.ts";
import { adviceOnEnded } from "./advice.ts";
import { nextDates, withDates } from "./stands-for.ts";

/** Data come with notes for their reader (`meta.note`). */
export interface Noted<T> {
  data: T;
  notes: Advice[];
}

/** Reads posts with their replies and related posts. */
export class Posts {
  readonly #store: Store;
  readonly #site: Site;
  readonly #cursors: Cursors;
  readonly #index: SearchIndex;
  readonly #relatedCosine: () => number;

  constructor(parts: {
    store: Store;
    index: SearchIndex;
    site: Site;
    cursors: Cursors;
    /** Below this cosine a post is not called related. */
    relatedCosine: () => number;
  }) {
    this.#store = parts.store;
    this.#site = parts.site;
    this.#cursors = parts.cursors;
    this.#index = parts.index;
    this.#relatedCosine = parts.relatedCosine;
  }

  /**
   * Reads one post with its first replies, a cursor for more of them, and related posts. Its owner also sees a hidden one.
   * @throws BoardError `post_not_found`, `post_hidden`
   */
  async read(
    id: string,
    caller: StoredPublisher | null,
    now: number,
    limit: number = LIMITS.repliesInPost,
  ): Promise<Noted<PostWithContext> & { repliesCursor: string | null }> {
    const similarTo = this.#similarTo(id, now);
    // What is wrong with the post is said before what is wrong with the index.
    similarTo.catch(() => {});
    const [post, replies] = await Promise.all([
      this.#store.posts.get(id),
      this.#store.posts.replies(id, { after: null, limit: limit + 1 }),
    ]);
    if (post === null || post.state === "removed") throw await notFound(this.#store, post, caller);
    const related = await this.#relatedTo(post, await similarTo, now);
    const first = cutPage(replies, limit);
    const seen = await visibilityOf(this.#store, [post, ...first.shown, ...related]);
    const notes = await notesFor(this.#store, post, seen, caller);
    if (post.expiresAt <= now)
      notes.push(post.publisherId === caller?.id ? adviceOnEnded(id) : "This post has expired.");
    const [shown] = this.#resources([post], seen);
    if (shown === undefined) throw new BoardError("post_not_found");
    const answers = this.#resources(shownOf(first.shown, seen), seen);
    const similar = this.#resources(shownOf(related, seen), seen);
    const repliesCursor = this.#repliesCursor(id, first.last);
    const [dated = shown, ...others] = await withDates(this.#index, [shown, ...similar], filterOf({}, now));
    return { data: { ...dated, replies: answers, related: others }, repliesCursor, notes };
  }

  /**
   * Reads replies of a post, oldest first, without hidden ones.
   * @throws BoardError `post_not_found`, `post_hidden`, `invalid_cursor`
   */
  async replies(
    id: string,
    caller: StoredPublisher | null,
    page: { cursor: string | undefined; limit: number },
  ): Promise<{ posts: Post[]; nextCursor: string | null }> {
    await visiblePost(this.#store, id, caller);
    const after = this.#cursors.readPosition(repliesOf(id), page.cursor);
    const rows = await this.#store.posts.replies(id, { after, limit: page.limit + 1 });
    const { shown, last } = cutPage(rows, page.limit);
    return {
      posts: await this.shown(shown),
      nextCursor: this.#repliesCursor(id, last),
    };
  }

  /** Names the zone in which a post shows its times; null without the post. */
  async zone(id: string): Promise<string | null> {
    const post = await this.#store.posts.get(id);
    return post === null ? null : zoneOf(post);
  }

  /** Finds the posts that are closest in meaning, with one more than are shown: a reply's parent is not. */
  async #similarTo(id: string, now: number): Promise<string[]> {
    const asked = {
      filter: filterOf({}, now),
      words: null,
      vector: null,
      like: id,
      distinct: true,
      nextDates: true,
    };
    const question = { ...asked, minCosine: this.#relatedCosine() };
    const options = { limit: LIMITS.relatedInPost + 1, except: new Set([id]) };
    return (await this.#index.ask("rank", question, options)).map((post) => post.id);
  }

  /** Reads at most five active posts of similar meaning, without the post's parent. */
  async #relatedTo({ parentId }: StoredPost, similar: readonly string[], now: number): Promise<StoredPost[]> {
    const ids = similar.filter((id) => id !== parentId).slice(0, LIMITS.relatedInPost);
    const rows = ids.length === 0 ? [] : await this.#store.posts.many(ids);
    return rows.filter((row) => row.state === "active" && row.expiresAt > now);
  }

  /** @param last  the last reply of a page, null on the last page */
  #repliesCursor(id: string, last: StoredPost | null): string | null {
    return last === null
      ? null
      : this.#cursors.writePosition(repliesOf(id), { at: last.createdAt, id: last.id });
  }

  /** Gives the posts among these that anyone may see, in the form of the API, in order. */
  async shown(posts: readonly StoredPost[]): Promise<Post[]> {
    const seen = await visibilityOf(this.#store, posts);
    return this.#resources(shownOf(posts, seen), seen);
  }

  /** Gives the posts that somebody was told of, as far as anyone may see them now. */
  async told(
    told: readonly { postId: string; change: ToldChange | null }[],
    now: number,
  ): Promise<(Post | GonePost | undefined)[]> {
    const rows = await this.#store.posts.many([...new Set(told.map(({ postId }) => postId))]);
    const standing = await nextDates({ index: this.#index, posts: this.#store.posts }, rows, now);
    const next = new Map(rows.map(({ id }, at) => [id, standing[at]?.id]));
    const all = new Map([...rows, ...standing].map((row) => [row.id, row]));
    const shown = await withDates(this.#index, await this.shown([...all.values()]), filterOf({}, now));
    const posts = new Map(shown.map((post) => [post.id, post]));
    return told.map(({ postId: id, change }) => {
      if (change === null) return posts.get(next.get(id) ?? id);
      return all.get(id)?.state === "removed" ? { id } : posts.get(id);
    });
  }

  /** Gives posts in the form of the API, in order, without those whose publisher is gone. */
  #resources(posts: readonly StoredPost[], { publishers }: Visibility): Post[] {
    return posts.flatMap((post) => {
      const publisher = publishers.get(post.publisherId);
      return publisher === undefined ? [] : [postResource(post, publisher, this.#site)];
    });
  }
}

/** Names the list of replies in its cursors. */
const repliesOf = (id: string) => `replies ${id}`;

/** Reads a post that is not removed, for a caller who may see it; a hidden one is for its owner only. */
export async function visiblePost(
  store: Store,
  id: string,
  caller: StoredPublisher | null,
): Promise<{ post: StoredPost; notes: Advice[] }> {
  const post = await store.posts.get(id);
  if (post === null || post.state === "removed") throw await notFound(store, post, caller);
  return { post, notes: await notesFor(store, post, await visibilityOf(store, [post]), caller) };
}

/** Makes the failure of a post that is not there; whose post the operator removed reads why. */
async function notFound(store: Store, post: StoredPost | null, caller: StoredPublisher | null) {
  if (post === null || post.publisherId !== caller?.id) return new BoardError("post_not_found");
  const reason = await reasonOf(store, { subject: post.id, action: "remove" });
  return new BoardError(
    "post_not_found",
    reason === null ? {} : { hint: `The operator of this board removed your post: ${reason}.` },
  );
}

/**
 * Notes what to tell who may see a post that is there.
 * @throws BoardError `post_hidden`
 */
async function notesFor(
  store: Store,
  post: StoredPost,
  { hidden }: Visibility,
  caller: StoredPublisher | null,
): Promise<Advice[]> {
  const why = hidden.get(post.id);
  if (why === undefined) return [];
  if (post.publisherId !== caller?.id) throw new BoardError("post_hidden");
  if (why === "root") return [WITH_ITS_ROOT];
  if (why === "suspended") return [(await noteOnSuspension(store, caller)) ?? "", ONLY_YOU];
  const [last] = await store.reports.history(post.id, 1);
  if (last?.actor === "hold") return [NOTE_ON_HELD];
  const reason = await reasonOf(store, { subject: post.id, action: "hide" });
  return [
    reason === null ? BY_REPORTS : `The operator of this board has hidden this post: ${reason}.`,
    ONLY_YOU,
  ];
}

/** Says what a suspended publisher is told; null for any other. */
export async function noteOnSuspension(store: Store, caller: StoredPublisher): Promise<string | null> {
  if (caller.suspendedAt === null) return null;
  const reason = await reasonOf(store, { subject: caller.id, action: "suspend" });
  return `The operator of this board has suspended you${reason === null ? "" : `: ${reason}`}.`;
}

/** Tells why the operator did what was done last to a subject, quoted as the operator's words; null where it was another act. */
async function reasonOf(
  store: Store,
  { subject, action }: Pick<ModerationEntry, "subject" | "action">,
): Promise<string | null> {
  const [last] = await store.reports.history(subject, 1);
  return last?.action === action && last.actor.startsWith("operator") ? JSON.stringify(last.reason) : null;
}

/** The author of a post that waits for its operator reads this. */
export const NOTE_ON_HELD =
  "This board shows the first posts of a new publisher once its operator has looked at them: until then only you see this one. Nothing needs to be sent again.";
const BY_REPORTS = "This post is hidden after reports.";
const ONLY_YOU = "Only you see it until the operator restores it.";
const WITH_ITS_ROOT =
  "The post that this one answers is hidden; only you see this reply until that one is back.";

interface Visibility {
  /** Publishers that exist are found by id. */
  publishers: ReadonlyMap<string, StoredPublisher>;
  /**
   * Tells of the hidden ones among the posts, by id, whether they are hidden themselves, with their suspended publisher, or
   * with the post they answer.
   */
  hidden: ReadonlyMap<string, "itself" | "suspended" | "root">;
}

/**
 * Tells which posts are hidden: by reports or the operator, with their suspended publisher, or with the post they answer.
 * Every surface asks here. Reads the publishers in one statement, and roots only where they are not among the posts.
 */
async function visibilityOf(store: ShownRows, posts: readonly StoredPost[]): Promise<Visibility> {
  const known = new Map(posts.map((post) => [post.id, post]));
  const missing = new Set(posts.flatMap(({ parentId }) => parentId ?? []).filter((id) => !known.has(id)));
  for (const root of missing.size === 0 ? [] : await store.posts.many([...missing])) known.set(root.id, root);
  const ids = new Set([...known.values()].map(({ publisherId }) => publisherId));
  const publishers = new Map((await store.publishers.many([...ids])).map((row) => [row.id, row]));
  const reasonFor = ({ state, publisherId }: StoredPost) => {
    if (state === "hidden") return "itself";
    return publishers.get(publisherId)?.suspendedAt == null ? null : "suspended";
  };
  const hidden = new Map<string, "itself" | "suspended" | "root">();
  for (const post of posts) {
    const root = post.parentId === null ? undefined : known.get(post.parentId);
    const below = root === undefined || reasonFor(root) === null ? null : "root";
    const reason = reasonFor(post) ?? below;
    if (reason !== null) hidden.set(post.id, reason);
  }
  return { publishers, hidden };
}

/** Gives the hidden ones among posts, as `visibilityOf` finds them. */
export async function hiddenAmong(
  store: ShownRows,
  posts: readonly StoredPost[],
): Promise<Visibility["hidden"]> {
  return (await visibilityOf(store, posts)).hidden;
}

/** Gives the posts among these that anyone may see, in order. */
function shownOf(posts: readonly StoredPost[], { hidden }: Visibility): StoredPost[] {
  return posts.filter(({ id, state }) => state !== "removed" && !hidden.has(id));
}
