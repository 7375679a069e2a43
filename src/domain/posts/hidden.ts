import type { ShownRows, StoredPost, StoredPublisher } from "../../ports/store/index.ts";

const BY_REPORTS = "This post is hidden after reports; only you see it until the operator restores it.";
const BY_SUSPENSION = "You are suspended, so only you see this post.";
const WITH_ITS_ROOT =
  "The post that this one answers is hidden; only you see this reply until that one is back.";

/** What is needed to show posts. */
export interface Visibility {
  /** Those that are there, by id. */
  publishers: ReadonlyMap<string, StoredPublisher>;
  /** The hidden ones of the posts, by id, with a sentence for the owner that says why. */
  hidden: ReadonlyMap<string, string>;
}

/**
 * Which posts are hidden: by reports or the operator, with their suspended publisher, or with the post they answer. Every
 * surface asks here. Reads the publishers in one statement, and roots only where they are not among the posts.
 */
export async function visibilityOf(store: ShownRows, posts: readonly StoredPost[]): Promise<Visibility> {
  const known = new Map(posts.map((post) => [post.id, post]));
  const missing = new Set(posts.flatMap(({ parentId }) => parentId ?? []).filter((id) => !known.has(id)));
  for (const root of missing.size === 0 ? [] : await store.posts.many([...missing])) known.set(root.id, root);
  const ids = new Set([...known.values()].map(({ publisherId }) => publisherId));
  const publishers = new Map((await store.publishers.many([...ids])).map((row) => [row.id, row]));
  const reasonFor = ({ state, publisherId }: StoredPost): string | null => {
    if (state === "hidden") return BY_REPORTS;
    return publishers.get(publisherId)?.suspendedAt == null ? null : BY_SUSPENSION;
  };
  const hidden = new Map<string, string>();
  for (const post of posts) {
    const root = post.parentId === null ? undefined : known.get(post.parentId);
    const below = root === undefined || reasonFor(root) === null ? null : WITH_ITS_ROOT;
    const reason = reasonFor(post) ?? below;
    if (reason !== null) hidden.set(post.id, reason);
  }
  return { publishers, hidden };
}

/** The hidden ones among posts, as `visibilityOf` finds them. */
export async function hiddenAmong(
  store: ShownRows,
  posts: readonly StoredPost[],
): Promise<Visibility["hidden"]> {
  return (await visibilityOf(store, posts)).hidden;
}

/** The posts among these that anyone may see, in order. */
export function shownOf(posts: readonly StoredPost[], { hidden }: Visibility): StoredPost[] {
  return posts.filter(({ id, state }) => state !== "removed" && !hidden.has(id));
}
