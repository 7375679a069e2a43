import type { Embedder } from "../../ports/embedder.ts";
import type { Store, StoredSubscription } from "../../ports/store/index.ts";
import type { PostParts } from "../../schema/text.ts";
import { cosineOf } from "../../search/ranking/vectors.ts";
import { closeness, postText } from "../../search/standing/index.ts";
import { hasVectorOf, standingFor } from "./meaning.ts";
import { standingQueryOf } from "./state.ts";

type MatchedPost = Pick<PostParts, "title" | "body" | "tags"> & {
  id: string;
  location: { name: string | null } | null;
};

/**
 * How well matches of a saved query answer it, in their order: 0…1. It is not kept with a match, since query, text and
 * vectors are all there is to it.
 */
export async function relevancesOf(
  { store, embedder }: { store: Store; embedder: Embedder },
  row: StoredSubscription,
  posts: readonly MatchedPost[],
): Promise<number[]> {
  const query = standingQueryOf(row);
  const standing = query === null ? null : standingFor(embedder, row, query);
  if (standing === null || posts.length === 0) return posts.map(() => 1);
  const vector = hasVectorOf(embedder, row) ? row.vector : null;
  const ids = posts.map(({ id }) => id);
  const vectors = vector === null ? [] : await store.posts.vectors(ids, embedder.modelId);
  return posts.map((post, at) => {
    const other = vectors[at] ?? null;
    const cosine = vector === null || other === null ? null : cosineOf(vector, other);
    return closeness(standing, postText({ ...post, placeName: post.location?.name ?? null }), cosine);
  });
}
