import type { Embedder } from "../../ports/embedder.ts";
import type { Store, StoredSubscription } from "../../ports/store/index.ts";
import type { Post } from "../../schema/post.ts";
import type { GonePost } from "../../schema/subscription.ts";
import { cosineOf } from "../../search/ranking/vectors.ts";
import { closeness, PostText } from "../../search/standing/index.ts";
import { isWhole } from "../posts/stands-for.ts";
import { hasVectorOf, standingFor } from "./meaning.ts";
import { standingQueryOf } from "./state.ts";

/**
 * Tells how well each match of a saved query answers it: 0…1. It is not kept with a match, since query, text and vectors
 * are all there is to it. Of a post that is gone nothing is said.
 */
export async function withRelevance<Told extends Post | GonePost | undefined>(
  { store, embedder }: { store: Store; embedder: Embedder },
  row: StoredSubscription,
  told: readonly Told[],
): Promise<Told[]> {
  const query = standingQueryOf(row);
  const standing = query === null ? null : standingFor(embedder, row, query);
  const vector = hasVectorOf(embedder, row) ? row.vector : null;
  const isCompared = standing !== null && vector !== null && told.some(isWhole);
  const ids = told.map((post) => post?.id ?? "");
  const vectors = isCompared ? await store.posts.vectors(ids, embedder.modelId) : [];
  return told.map((post, at) => {
    if (!isWhole(post)) return post;
    if (standing === null) return { ...post, relevance: 1 };
    const other = vectors[at] ?? null;
    const cosine = vector === null || other === null ? null : cosineOf(vector, other);
    const text = new PostText({ ...post, placeName: post.location?.name ?? null });
    return { ...post, relevance: closeness(standing, text, cosine) };
  });
}
