import type { Embedder } from "../../ports/embedder.ts";
import type { SearchIndex } from "../../ports/search-index.ts";
import type { Store } from "../../ports/store/index.ts";
import type { PostParts } from "../../schema/text.ts";
import { cosineOf, quantize } from "../../search/vectors.ts";
import { filterOf } from "../search/query.ts";
import { MeasuredScale, scaleFrom } from "./cosine-scale.ts";
import type { BoardModel } from "./embedding-model.ts";
import { SAMPLE_NOTICES } from "./sample-notices.ts";

/** The setting that holds what was measured. */
export const SCALE_SETTING = "embedding_scale";

/** Posts compared, out of so many of the newest; and every so manieth title is asked. */
const SAMPLE = { posts: 200, among: 2_000, titleEvery: 3 } as const;
/** With fewer posts, notices of our own stand beside them. */
const ENOUGH_POSTS = 40;
/** A board that has grown so many times is measured again; one of fewer posts counts as one of `LEAST`. */
const GROWN = 10;
const LEAST_POSTS = 10;
const LOOK_EVERY_MS = 60_000;
/** Texts given to the model at once, so that searches find their place between. */
const BATCH = 16;

/**
 * Where the cosines of a model lie that this program does not know: measured on the board's own posts when the model is
 * chosen, and again when the board has grown tenfold. One process measures, the store keeps it, all use it.
 */
export class ModelScale {
  readonly #store: Store;
  readonly #index: SearchIndex;
  readonly #embedder: Embedder;
  readonly #boardModel: BoardModel;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: { store: Store; index: SearchIndex; embedder: Embedder; boardModel: BoardModel }) {
    this.#store = parts.store;
    this.#index = parts.index;
    this.#embedder = parts.embedder;
    this.#boardModel = parts.boardModel;
  }

  /**
   * Uses what the store holds, and measures when that is due; looks once a minute. Does nothing for a known model, nor
   * before the model is ready.
   */
  async refresh(now: number): Promise<void> {
    const embedder = this.#embedder;
    if (embedder.knowsScale || embedder.state() !== "ready" || now - this.#lookedAt < LOOK_EVERY_MS) return;
    const kept = await this.#kept();
    if (kept !== null) embedder.useScale(kept);
    if (!this.#index.ready() || !(await this.#boardModel.isOurs())) return;
    const posts = await this.#index.count(everything(now));
    if (kept === null || posts >= GROWN * Math.max(kept.posts, LEAST_POSTS)) {
      const measured = await this.#measure(posts, now);
      await this.#store.settings.set(SCALE_SETTING, JSON.stringify(measured));
      embedder.useScale(measured);
    }
    this.#lookedAt = now;
  }

  async #kept(): Promise<MeasuredScale | null> {
    const kept = keptScale(await this.#store.settings.get(SCALE_SETTING));
    return kept?.model === this.#embedder.modelId ? kept : null;
  }

  /** @throws EmbedderUnavailable when the model is too busy */
  async #measure(posts: number, now: number): Promise<MeasuredScale> {
    const page = { order: "newest", after: null, limit: SAMPLE.among } as const;
    const places = await this.#index.list(everything(now), page);
    const rows = await this.#store.posts.many(spreadOver(places).map(({ id }) => id));
    const own = rows.map((post) => ({ ...post, placeName: post.location?.name ?? null }));
    const texts = own.length < ENOUGH_POSTS ? [...own, ...SAMPLE_NOTICES] : own;
    return { model: this.#embedder.modelId, posts, ...(await measureScale(texts, this.#embedder)) };
  }
}

/**
 * Measures a model on texts that have little to do with each other, as searches use it: titles are asked.
 * @throws EmbedderUnavailable when the model is too busy
 */
export async function measureScale(
  texts: readonly PostParts[],
  embedder: Embedder,
): Promise<ReturnType<typeof scaleFrom>> {
  // As the index keeps vectors: it cuts off what large components have above 0.254.
  const embedded = async (some: readonly (string | PostParts)[], purpose: "post" | "query") => {
    const vectors: Int8Array[] = [];
    for (let at = 0; at < some.length; at += BATCH) {
      vectors.push(...(await embedder.embed(some.slice(at, at + BATCH), purpose)).map(quantize));
    }
    return vectors;
  };
  const vectors = await embedded(texts, "post");
  const asked = texts.flatMap((_post, at) => (at % SAMPLE.titleEvery === 0 ? [at] : []));
  const titles = await embedded(
    asked.map((at) => texts[at]?.title ?? ""),
    "query",
  );
  const cosines = titles.flatMap((title, i) =>
    vectors.flatMap((vector, at) => (at === asked[i] ? [] : [cosineOf(title, vector)])),
  );
  return scaleFrom(Float64Array.from(cosines));
}

/** At most as many of a list as are compared, spread over all of it. */
export function spreadOver<Item>(all: readonly Item[]): Item[] {
  const step = Math.max(1, Math.floor(all.length / SAMPLE.posts));
  return all.filter((_item, at) => at % step === 0).slice(0, SAMPLE.posts);
}

/** What a board kept of a measure; null for none, or for one that this program cannot read. */
export function keptScale(setting: string | null): MeasuredScale | null {
  if (setting === null) return null;
  const parsed = MeasuredScale.safeParse(JSON.parse(setting));
  return parsed.success ? parsed.data : null;
}

const everything = (now: number) => ({ filter: filterOf({}, now), words: null, vector: null, minCosine: 0 });
