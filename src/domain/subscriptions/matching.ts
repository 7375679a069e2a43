import { setImmediate } from "node:timers/promises";
import { type Embedder, EmbedderUnavailable } from "../../ports/embedder.ts";
import { seriesOf, windowOf } from "../../ports/index-entry.ts";
import type { SearchIndex } from "../../ports/search-index.ts";
import {
  isMatched,
  type Store,
  type StoredPost,
  type StoredPublisher,
  type StoredSubscription,
} from "../../ports/store/index.ts";
import type { PostBackground } from "../../schema/subscription.ts";
import { quantize } from "../../search/ranking/vectors.ts";
import { answers, floorOf, PostText, type StandingText } from "../../search/standing/index.ts";
import { type NewPost, SavedQueries, type SavedQuery } from "../../search/standing/saved-queries.ts";
import type { BoardModel } from "../board/embedding-model.ts";
import { filterOf, isShortWindow } from "../search/query.ts";
import {
  countBackground,
  countPosts,
  hasChanged,
  hasVectorOf,
  makerOf,
  savedTextOf,
  standingFor,
} from "./meaning.ts";
import { standingQueryOf } from "./state.ts";

/** This many changes are taken in per turn of the event loop: about 5 ms. */
const CHANGES_BATCH = 100;
/** This many queries get vectors at each refresh, and the model takes this many at once. */
const VECTORS = { perRefresh: 1_000, batch: 16 } as const;
/** The board's size is looked at this often, by posts and by time; this many queries are then counted at once. */
const COUNTING = { posts: 10, everyMs: 10_000, perRefresh: 100 } as const;

/** Among so many of its publisher's dates the next one of a series is looked for, where the index knows no series. */
const DATES_READ = 50;

/** Shows a post as matching sees it. */
export interface PostToMatch {
  post: StoredPost;
  publisher: StoredPublisher;
  /** The post answers one of this publisher, or of none (null). */
  answers?: string | null;
  /** The vector is of the embedder's model; null while there is none. */
  vector: Int8Array | null;
}

/**
 * Says which standing queries a new post answers, by the rule of docs/matching.md: all filters, every phrase, no excluded
 * word, and either every word or the meaning. It follows subscriptions made by any process; each new post meets
 * all that are active, and few are left for the rule.
 */
export class Matching {
  readonly #store: Store;
  readonly #index: SearchIndex;
  readonly #embedder: Embedder;
  readonly #boardModel: BoardModel;
  /** Keys are subscription ids; null stands for a query without text, which its filters decide. */
  #standing: SavedQueries<StandingText | null>;
  /** These texts of active queries have no vector of this model, or one of an earlier preparation. */
  readonly #withoutVector = new Map<string, string>();
  /** Holds the board as counted for each active query with a vector; null before it was counted. */
  readonly #backgrounds = new Map<string, PostBackground | null>();
  /** These queries have so short a window that they tell of each date of a series. */
  readonly #eachDate = new Set<string>();
  #seen = 0;
  /** Counts posts that were matched since the board's size was looked at. */
  #matched = 0;
  #lookedAt = 0;

  constructor(parts: { store: Store; index: SearchIndex; embedder: Embedder; boardModel: BoardModel }) {
    this.#store = parts.store;
    this.#index = parts.index;
    this.#embedder = parts.embedder;
    this.#boardModel = parts.boardModel;
    this.#standing = this.#empty();
  }

  get size(): number {
    return this.#standing.size;
  }

  /** They take about this many bytes in memory. */
  get bytes(): number {
    return this.#standing.bytes;
  }

  /**
   * Takes in subscriptions that changed, a hundred per turn of the event loop. Once the model is ready, it gives a
   * vector to those without one, and counts what their filters let pass where the board has changed since.
   */
  async refresh(now: number): Promise<void> {
    for (;;) {
      const { next, rows } = await this.#store.subscriptions.changes(this.#seen, CHANGES_BATCH);
      for (const { id, subscription } of rows) this.#take(id, subscription);
      if (next === this.#seen) break;
      this.#seen = next;
      await setImmediate();
    }
    if (this.#withoutVector.size > 0 && this.#embedder.state() === "ready") await this.#addVectors();
    if (this.#backgrounds.size === 0 || !this.#index.ready()) return;
    if (this.#matched >= COUNTING.posts || now - this.#lookedAt >= COUNTING.everyMs) await this.#count(now);
  }

  /** Finds the subscriptions that a post answers, by id. */
  answeredBy({ post, publisher, answers: answered = null, vector }: PostToMatch, now: number): string[] {
    if (post.state !== "active" || publisher.suspendedAt !== null || post.expiresAt <= now) return [];
    this.#matched += 1;
    const text = new PostText({ ...post, placeName: post.location?.name ?? null });
    return this.#standing
      .candidates({
        ...filteredOf(post, publisher),
        answers: answered,
        words: [...text.speech.single, ...text.speech.parts],
        vector,
      })
      .filter(({ value, cosine }) => value === null || answers(value, text, cosine))
      .map(({ id }) => id);
  }

  /** Finds the next date of the series that a post was a date of before it was gone; null without one. */
  async nextOf({ id, publisherId, change }: StoredPost, now: number): Promise<StoredPost | null> {
    const series = change?.series ?? null;
    if (series === null) return null;
    const filter = { ...filterOf({ publisher: publisherId }, now), series, after: now };
    const question = { filter, words: null, vector: null, minCosine: 0 };
    const dates = await this.#index.ask("list", question, {
      order: "soonest",
      after: null,
      limit: DATES_READ,
    });
    const posts = await this.#store.posts.many(dates.map((date) => date.id));
    return (
      posts.find((post) => post.id !== id && post.state === "active" && seriesOf(post) === series) ?? null
    );
  }

  /** Tells whether a subscription is told of each date of a series: those of the next two weeks at most. */
  tellsEachDate(id: string): boolean {
    return this.#eachDate.has(id);
  }

  #empty(): SavedQueries<StandingText | null> {
    return new SavedQueries(this.#embedder.dimension);
  }

  #take(id: string, row: StoredSubscription | null): void {
    this.#withoutVector.delete(id);
    this.#backgrounds.delete(id);
    this.#eachDate.delete(id);
    if (row?.event === "post.replied" && isMatched(row)) {
      const { publisherId, savedNo } = row;
      const thread = typeof row.query["thread"] === "string" ? row.query["thread"] : null;
      const filter = filterOf({ include_replies: true }, 0);
      this.#standing.add(id, { ...BY_FILTERS, filter, savedNo, replies: { publisherId, thread } }, null);
      return;
    }
    const query = row !== null && isMatched(row) ? standingQueryOf(row) : null;
    if (row === null || query === null) {
      this.#standing.remove(id);
      return;
    }
    const text = savedTextOf(query);
    const filter = filterOf(query, 0);
    if (isShortWindow(filter)) this.#eachDate.add(id);
    const vector = hasVectorOf(this.#embedder, row) ? row.vector : null;
    const isNew = vector !== null && row.vectorModel === makerOf(this.#embedder);
    if (!isNew && text !== null && text.plain !== "") this.#withoutVector.set(id, text.plain);
    if (vector !== null && text !== null) this.#backgrounds.set(id, row.background);
    const standing = standingFor(this.#embedder, row, query);
    const ways = standing === null ? BY_FILTERS : waysOf(standing, vector);
    this.#standing.add(id, { ...ways, filter, savedNo: row.savedNo }, standing);
  }

  /** Counts again what a changed board's posts are to queries, a hundred at a time. */
  async #count(now: number): Promise<void> {
    const posts = await countPosts(this.#index, now);
    const due = [...this.#backgrounds].filter(
      ([, background]) => background === null || hasChanged(background, posts),
    );
    for (const [id] of due.slice(0, COUNTING.perRefresh)) {
      const row = await this.#store.subscriptions.get(id);
      const query = row === null ? null : standingQueryOf(row);
      if (row === null || query === null || row.vector === null) {
        this.#backgrounds.delete(id);
        continue;
      }
      const { vector } = row;
      const background = await countBackground(this.#index, query, { posts, now });
      const updated = await this.#store.subscriptions.update(id, (current) =>
        current.vector !== null && Buffer.from(current.vector).equals(Buffer.from(vector))
          ? { background }
          : null,
      );
      this.#take(id, updated);
    }
    // The rest follows at the next refresh.
    if (due.length > COUNTING.perRefresh) return;
    this.#matched = 0;
    this.#lookedAt = now;
  }

  /** Gives vectors to queries saved without a model, or under another one. */
  async #addVectors(): Promise<void> {
    if (!(await this.#boardModel.isOurs())) return;
    const missing = [...this.#withoutVector].slice(0, VECTORS.perRefresh);
    for (let start = 0; start < missing.length; start += VECTORS.batch) {
      const batch = missing.slice(start, start + VECTORS.batch);
      const vectors = await this.#vectorsOf(batch.map(([, text]) => text));
      for (const [at, vector] of vectors.entries()) {
        const [id, text] = batch[at] ?? ["", ""];
        const fields = { vector: quantize(vector), vectorModel: makerOf(this.#embedder), background: null };
        const updated = await this.#store.subscriptions.update(id, (row) => {
          // Its owner may have changed the query meanwhile.
          const query = standingQueryOf(row);
          return query !== null && savedTextOf(query)?.plain === text ? fields : null;
        });
        this.#take(id, updated);
      }
    }
  }

  /** The list is empty when the model is busy or gone: words still match, and the next refresh tries again. */
  async #vectorsOf(texts: readonly string[]): Promise<Float32Array[]> {
    try {
      return await this.#embedder.embed(texts, "query");
    } catch (error) {
      if (error instanceof EmbedderUnavailable) return [];
      throw error;
    }
  }
}

/** A post may answer a query's text in these ways. */
type Ways = Pick<SavedQuery, "required" | "words" | "respelt" | "meaning">;
const BY_FILTERS: Ways = { required: [], words: [], meaning: null };

function waysOf(standing: StandingText, vector: Int8Array | null): Ways {
  const { words, respelt, phrases, excluded } = standing;
  const termsIn = (texts: readonly string[]) => texts.flatMap((text) => text.split(" "));
  // Only phrases or exclusions: they decide. A text without any word asks for nothing that could be found.
  const asksNothing = words.length + phrases.length + excluded.length === 0;
  return {
    required: termsIn(phrases),
    words: asksNothing ? null : termsIn(words),
    respelt: termsIn(respelt),
    meaning: words.length === 0 || vector === null ? null : { vector, floor: floorOf(standing) },
  };
}

function filteredOf(
  post: StoredPost,
  publisher: StoredPublisher,
): Omit<NewPost, "words" | "vector" | "answers"> {
  const { lat, lng } = post.location ?? { lat: null, lng: null };
  const place = lat === null || lng === null ? null : { lat, lng };
  return { ...post, ...windowOf(post), place, verified: publisher.verifiedAt !== null };
}
