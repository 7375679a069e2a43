import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { BoardError } from "../../board/failures.ts";
import { HOUR_MS } from "../../platform/time.ts";
import type { Question, Ranked, SearchIndex } from "../../ports/search-index.ts";
import {
  type FrozenRanking,
  type PostStore,
  type RankingStore,
  StoreUnavailable,
} from "../../ports/store/index.ts";
import type { Lift, PostFilter } from "../../schema/filter.ts";
import type { QueryText } from "../../search/text/query-text.ts";
import type { Cursors } from "../cursors.ts";
import { putBehind } from "./behind.ts";

/** A ranking is frozen in pieces of this many posts; the next piece is ranked when a walk gets there. */
export const PIECE = 1_000;
/** A process keeps this many rankings: 12 MB at most. */
const KEPT_MAX = 200;
/** A walk ends after this many pieces; nobody reads further, and each piece excludes all before it. */
const PIECES_MAX = 10;
/** Cursors of a walk are good for this long after its time. */
const FROZEN_MS = HOUR_MS;
/** The same ranking, found again within this time, continues the walk that is kept: its answer is the same bytes. */
const SAME_WALK_MS = 10 * 60_000;
/** The last characters of a shown post's id name it in a cursor: 1 of 700 times two of 20 and 980 posts end alike. */
const ENDING = 4;
const endingOf = ({ id }: { id: string }) => id.slice(-ENDING);

interface Asked {
  /** Names query and filters; cursors are good for this list only. */
  list: string;
  question: Question & { filter: PostFilter };
  rerank: boolean;
  lifts: readonly Lift[];
  bounds: QueryText["bounds"] | null;
}

/** Holds a page of a walk, and where it lies among all that matched. */
interface RankedPage {
  found: Ranked[];
  nextCursor: string | null;
  /** Gives the cursor of the same page, ended behind its first `shown` posts. */
  cursorAt(shown: number): Promise<string | null>;
  /** This many posts come before the page; null behind the first piece. */
  first: number | null;
  /** Counts posts that matched, as far as the first piece goes. */
  total: number;
}

interface WalkPoint {
  ranking: FrozenRanking;
  /** This many posts of the ranking were shown. */
  offset: number;
  /** The walk has this time: it shows no newer posts. */
  asOf: number;
}

/** Pages by relevance; pages neither repeat nor skip posts. */
export class RelevanceWalks {
  readonly #index: SearchIndex;
  readonly #posts: PostStore;
  readonly #rankings: RankingStore;
  readonly #cursors: Cursors;
  /** Keeps the latest rankings, some 60 KB each, and whether the store holds them. */
  readonly #kept = new LRUCache<string, { ranking: FrozenRanking; isSaved: boolean }>({ max: KEPT_MAX });

  constructor(parts: { index: SearchIndex; posts: PostStore; rankings: RankingStore; cursors: Cursors }) {
    this.#index = parts.index;
    this.#posts = parts.posts;
    this.#rankings = parts.rankings;
    this.#cursors = parts.cursors;
  }

  /** @throws BoardError `invalid_cursor` */
  async page(
    asked: Asked,
    { cursor, limit }: { cursor?: string | undefined; limit: number },
    now: number,
  ): Promise<RankedPage> {
    if (cursor === undefined) return this.#firstPage(asked, limit, now);
    let at = await this.#resume(asked, cursor, now);
    if (at.offset >= at.ranking.ids.length && isFull(at.ranking)) at = await this.#nextPiece(asked, at);
    const { ids, relevance } = at.ranking;
    const end = Math.min(at.offset + limit, ids.length);
    const found = ids
      .slice(at.offset, end)
      .map((id, n) => ({ id, relevance: relevance[at.offset + n] ?? 0 }));
    // Nobody counts what lies behind the first piece.
    const counted =
      at.ranking.previous === null ? { first: at.offset, total: ids.length } : { first: null, total: PIECE };
    const cursorAt = async (shown: number) => {
      const offset = at.offset + shown;
      if (offset === ids.length && !isFull(at.ranking)) return null;
      await this.#save(at.ranking);
      return this.#cursorOf(asked.list, { ...at, offset });
    };
    return { found, nextCursor: await cursorAt(found.length), cursorAt, ...counted };
  }

  async #firstPage(asked: Asked, limit: number, now: number): Promise<RankedPage> {
    // It takes every post, even one from an instance whose clock runs ahead; later pages take no newer posts.
    const ranked = await this.#rank(asked, null, new Set());
    const found = ranked.slice(0, limit);
    const cursorAt = async (shown: number) => {
      if (shown >= ranked.length) return null;
      const ranking = await this.#keptLike(asked, frozen(asked.list, ranked, null, now), now);
      const at = { ranking, offset: shown, asOf: timeOf(ranking) };
      const endings = found.slice(0, shown).map(endingOf).join("");
      return this.#cursorOf(asked.list, at, { shown: endings, ceiling: ranking.relevance[shown - 1] ?? 1 });
    };
    return { found, nextCursor: await cursorAt(found.length), cursorAt, first: 0, total: ranked.length };
  }

  /**
   * Gives the ranking that was kept a while ago where it is the same, else this one. Whoever asks again on an unchanged board
   * gets the same cursor. A full ranking says nothing of the posts behind it, so there the filters must have let no newer post
   * pass.
   */
  async #keptLike(asked: Asked, ranking: FrozenRanking, now: number): Promise<FrozenRanking> {
    const kept = this.#kept.get(ranking.id)?.ranking;
    if (kept !== undefined && now - timeOf(kept) < SAME_WALK_MS) {
      if (!isFull(kept) || (await this.#newest(asked.question)) <= timeOf(kept)) return kept;
    }
    this.#kept.set(ranking.id, { ranking, isSaved: false });
    return ranking;
  }

  async #newest(question: Question): Promise<number> {
    const filtersOnly = { ...question, words: null, vector: null };
    const [newest] = await this.#index.ask("list", filtersOnly, { order: "newest", after: null, limit: 1 });
    return newest?.at ?? 0;
  }

  async #resume(asked: Asked, cursor: string, now: number): Promise<WalkPoint> {
    const { id, offset, asOf, anew } = this.#read(asked.list, cursor);
    if (asOf + FROZEN_MS <= now) throw new BoardError("invalid_cursor");
    const ranking = await this.#ranking(id, now);
    if (ranking !== null) return { ranking, offset, asOf };
    if (anew === null) throw new BoardError("invalid_cursor");
    const ranked = await this.#rank(asked, asOf, new Set());
    const endings = new Set(anew.shown.match(new RegExp(`.{${ENDING}}`, "g")));
    const isShown = (post: Ranked) => endings.has(endingOf(post));
    const shown = ranked.filter(isShown);
    const others = ranked.filter((post) => !isShown(post));
    const piece = this.#piece(asked.list, [...shown, ...bounded(others, anew.ceiling)], null, asOf);
    return { ranking: piece, offset: shown.length, asOf };
  }

  /** Ranks the best posts that no earlier piece holds. */
  async #nextPiece(asked: Asked, { ranking, asOf }: WalkPoint): Promise<WalkPoint> {
    const except = new Set(ranking.ids);
    let pieces = 1;
    for (let id = ranking.previous; id !== null; pieces += 1) {
      const piece = await this.#ranking(id, asOf);
      if (piece === null) throw new BoardError("invalid_cursor");
      for (const each of piece.ids) except.add(each);
      id = piece.previous;
    }
    const ranked = pieces >= PIECES_MAX ? [] : await this.#rank(asked, asOf, except);
    const next = bounded(ranked, ranking.relevance.at(-1) ?? 1);
    return { ranking: this.#piece(asked.list, next, ranking.id, asOf), offset: 0, asOf };
  }

  /** Makes a new piece of a walk, and keeps it. */
  #piece(list: string, ranked: readonly Ranked[], previous: string | null, asOf: number): FrozenRanking {
    const ranking = frozen(list, ranked, previous, asOf);
    this.#kept.set(ranking.id, { ranking, isSaved: false });
    return ranking;
  }

  async #rank(asked: Asked, createdUntil: number | null, except: ReadonlySet<string>): Promise<Ranked[]> {
    const { question, rerank, lifts } = asked;
    const filter = createdUntil === null ? question.filter : { ...question.filter, createdUntil };
    const options = { rerank, limit: PIECE, except, lifts };
    const ranked = await this.#index.ask("rank", { ...question, filter }, options);
    return asked.bounds === null ? ranked : putBehind(this.#posts, ranked, asked.bounds);
  }

  async #ranking(id: string, now: number): Promise<FrozenRanking | null> {
    const kept = this.#kept.get(id)?.ranking;
    if (kept !== undefined) return kept;
    const ranking = await this.#rankings.get(id, now);
    if (ranking !== null) this.#kept.set(id, { ranking, isSaved: true });
    return ranking;
  }

  async #save(ranking: FrozenRanking): Promise<void> {
    if (this.#kept.get(ranking.id)?.isSaved === true) return;
    try {
      await this.#rankings.save(ranking);
    } catch (error) {
      // This process goes on with what it keeps, while the store is away.
      if (this.#kept.has(ranking.id) && error instanceof StoreUnavailable) return;
      throw error;
    }
    this.#kept.set(ranking.id, { ranking, isSaved: true });
  }

  #cursorOf(list: string, { ranking, offset, asOf }: WalkPoint, anew?: Anew): string {
    const more = anew === undefined ? [] : [anew.shown, anew.ceiling];
    return this.#cursors.write(list, [ranking.id, offset, asOf, ...more]);
  }

  #read(list: string, cursor: string) {
    const [id, offset, asOf, shown, ceiling] = this.#cursors.read(list, cursor);
    if (typeof id !== "string" || typeof offset !== "number" || typeof asOf !== "number")
      throw new BoardError("invalid_cursor");
    const isFirst = typeof shown === "string" && typeof ceiling === "number";
    return { id, offset, asOf, anew: isFirst ? { shown, ceiling } : null };
  }
}

/** The cursor of a first page carries this, so that a process without its ranking can rank once more. */
interface Anew {
  /** Holds the endings of the ids that were shown. */
  shown: string;
  /** The last of these has this relevance: what follows gets no higher one. */
  ceiling: number;
}

const bounded = (ranked: readonly Ranked[], ceiling: number): Ranked[] =>
  ranked.map(({ id, relevance }) => ({ id, relevance: Math.min(relevance, ceiling) }));

/** Names a ranking by its content: the same ranking has the same name in every process. */
function frozen(
  list: string,
  ranked: readonly Ranked[],
  previous: string | null,
  asOf: number,
): FrozenRanking {
  const ids = ranked.map(({ id }) => id);
  const relevance = ranked.map((post) => post.relevance);
  const content = [list, previous ?? "", ...ids].join(" ");
  const hash = createHash("sha256").update(content).update(Float64Array.from(relevance));
  return {
    id: hash.digest("base64url").slice(0, 12),
    ids,
    relevance,
    previous,
    expiresAt: asOf + FROZEN_MS,
  };
}

/** A ranking was frozen for the walk of this time. */
const timeOf = ({ expiresAt }: FrozenRanking) => expiresAt - FROZEN_MS;

const isFull = ({ ids }: FrozenRanking) => ids.length === PIECE;
