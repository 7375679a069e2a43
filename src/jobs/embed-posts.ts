import type { BoardModel } from "../domain/board/embedding-model.ts";
import { type Embedder, EmbedderUnavailable } from "../ports/embedder.ts";
import type { Store, StoredPost } from "../ports/store/index.ts";
import { quantize } from "../search/ranking/vectors.ts";
import { preparationFor } from "../search/text/model-text.ts";

/** This many posts without a vector are enqueued at once: some seconds of work, and a new post waits no longer for its turn. */
export const MISSING_SLICE = 320;
const BATCH = 32;
const LEASE_MS = 15_000;

interface EmbeddingServices {
  store: Store;
  embedder: Embedder;
  boardModel: BoardModel;
}

/**
 * Enqueues a slice of the posts that have no vector of the board's model, or one of a text that was prepared otherwise;
 * resolves to how many. These keep the vector they have until the new one is there.
 */
export async function enqueueMissing({ store, embedder, boardModel }: EmbeddingServices): Promise<number> {
  if (!(await boardModel.isOurs())) return 0;
  return store.posts.enqueueMissingVectors(makerOf(embedder), MISSING_SLICE);
}

/**
 * Gives posts their vectors, whichever process wrote them. Without the board's model the work waits.
 *
 * @returns how many posts it took
 */
export async function embedPosts(services: EmbeddingServices, now: number): Promise<number> {
  const { store, embedder, boardModel } = services;
  if (embedder.state() !== "ready" || !(await boardModel.isOurs())) return 0;
  const items = await store.work.claim("embed", { limit: BATCH, leaseMs: LEASE_MS, now });
  if (items.length === 0) return 0;
  const posts = (await store.posts.many(items.map((item) => item.postId))).filter(
    (post) => post.state !== "removed",
  );
  try {
    const vectors = await embedder.embed(posts.map(partsOf), "post");
    const rows = posts.flatMap((post, i) => {
      const vector = vectors[i];
      return vector === undefined
        ? []
        : [{ id: post.id, updatedAt: post.updatedAt, ...makerOf(embedder), vector: quantize(vector) }];
    });
    await store.posts.setVectors(rows, items);
    return items.length;
  } catch (error) {
    if (!(error instanceof EmbedderUnavailable)) throw error;
    await store.work.giveBack(items, now + 1_000);
    return 0;
  }
}

const partsOf = ({ title, body, tags, location }: StoredPost) => ({
  title,
  body,
  tags,
  placeName: location?.name ?? null,
});

const makerOf = (embedder: Embedder) => ({ model: embedder.modelId, preparation: preparationFor(embedder) });
