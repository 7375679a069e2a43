import type { Store } from "../../ports/store/index.ts";
import type { Post } from "../../schema/post.ts";
import type { Posts } from "./index.ts";

/** Those of some posts that anyone may see now, by id: any may have been removed or hidden since their ids were read. */
export async function shownPosts(
  { store, posts }: { store: Store; posts: Posts },
  ids: readonly string[],
): Promise<Map<string, Post>> {
  const rows = await store.posts.many([...new Set(ids)]);
  const shown = rows.filter(({ state }) => state === "active");
  return new Map((await posts.resources(shown, { suspended: false })).map((post) => [post.id, post]));
}
