import type { BoardModel } from "../domain/board/embedding-model.ts";
import { type Embedder, EmbedderUnavailable } from "../ports/embedder.ts";
import type { Store } from "../ports/store/index.ts";
import { postForModel } from "../search/glossary/texts.ts";
import { quantize } from "../search/vectors.ts";

/** At most this many posts without a vector are enqueued at once; the rest follow at the next run. */
const MISSING_VECTORS = 100_000;
const BATCH = 32;
const LEASE_MS = 15_000;

interface EmbeddingServices {
  store: Store;
  embedder: Embedder;
  boardModel: BoardModel;
}

/** Enqueues posts that have no vector of the board's model; resolves to how many. */
export async function enqueueMissing({ store, embedder, boardModel }: EmbeddingServices): Promise<number> {
  if (!(await boardModel.isOurs())) return 0;
  return store.posts.enqueueMissingVectors(embedder.modelId, MISSING_VECTORS);
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
    const texts = posts.map((post) => postForModel({ ...post, placeName: post.location?.name ?? null }));
    const vectors = await embedder.embed(texts, "post");
    const rows = posts.flatMap((post, i) => {
      const vector = vectors[i];
      return vector === undefined
        ? []
        : [{ id: post.id, updatedAt: post.updatedAt, model: embedder.modelId, vector: quantize(vector) }];
    });
    await store.posts.setVectors(rows);
    await store.work.done(items);
    return items.length;
  } catch (error) {
    if (!(error instanceof EmbedderUnavailable)) throw error;
    await store.work.giveBack(items, now + 1_000);
    return 0;
  }
}
