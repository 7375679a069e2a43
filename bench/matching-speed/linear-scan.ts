import { distanceKm } from "../../src/search/distance.ts";
import { VectorMemory } from "../../src/search/kernel/vector-memory.ts";
import type { NewPost, SavedQuery } from "../../src/search/percolator/index.ts";
import { DOT_TO_COSINE } from "../../src/search/vectors.ts";

/** The peer: an exact scan of all vectors by the same kernel, then the filters of what is near enough. */
export class LinearScan {
  readonly #queries: SavedQuery[] = [];
  readonly #vectors = new VectorMemory(384);
  readonly #vectorOf: number[] = [];
  #count = 0;

  add(query: SavedQuery): void {
    // The kernel's memory keeps the vector.
    const meaning = query.meaning === null ? null : { ...query.meaning, vector: new Int8Array(0) };
    this.#queries.push({ ...query, meaning });
    this.#vectorOf.push(query.meaning === null ? -1 : this.#count);
    if (query.meaning !== null) this.#vectors.set(this.#count++, query.meaning.vector);
  }

  matches(post: NewPost): number[] {
    const said = new Set(post.words);
    const rows = Uint32Array.from({ length: this.#count }, (_, row) => row);
    const dots = post.vector === null ? new Int32Array(this.#count) : this.#vectors.dots(post.vector, rows);
    const found: number[] = [];
    for (let n = 0; n < this.#queries.length; n += 1) {
      const query = this.#queries[n] as SavedQuery;
      const { meaning, words } = query;
      if (meaning !== null && (dots[this.#vectorOf[n] ?? 0] ?? 0) * DOT_TO_COSINE < meaning.floor - 1e-9)
        continue;
      if (words !== null && !words.every((word) => said.has(word))) continue;
      if (passes(query, post)) found.push(n);
    }
    return found;
  }
}

function passes({ filter, createdAt }: SavedQuery, post: NewPost): boolean {
  const { kinds, tags, near, after, before } = filter;
  return (
    post.createdAt >= createdAt &&
    (kinds === null || kinds.includes(post.kind)) &&
    (tags === null || tags.some((tag) => post.tags.includes(tag))) &&
    (after === null || post.windowEnd >= after) &&
    (before === null || post.windowStart <= before) &&
    (!filter.verifiedOnly || post.verified) &&
    (filter.includeSyndicated || !post.syndicated) &&
    (near === null ||
      (post.place !== null &&
        Math.abs(near.lat - post.place.lat) * 111.19 <= near.radiusKm &&
        distanceKm(near, post.place) <= near.radiusKm))
  );
}
