import { setImmediate as nextTurn } from "node:timers/promises";
import { townAround, townNumbered } from "../../gazetteer/index.ts";
import { DAY_MS } from "../../platform/time.ts";
import type { SearchIndex } from "../../ports/search-index.ts";
import {
  type BoardCounts,
  type BoardOverview,
  type Store,
  StoreUnavailable,
} from "../../ports/store/index.ts";
import { KINDS, type Kind, LIMITS } from "../../schema/post.ts";
import { RADIUS_KM } from "../../schema/query.ts";
import { dayOf, isoTime } from "../resources.ts";
import { filterOf } from "../search/query.ts";
import type { Site } from "../site.ts";
import { SharedValue } from "./shared-value.ts";

/**
 * The counts in `meta.board` may be this old, and so much older as the store keeps them: 8 s at most. Where counting takes long,
 * see `SharedValue`.
 */
const COUNTS_MS = 2_000;
/** The overview may be this old: the tags and places of every post are read for it. */
const OVERVIEW_MS = 10_000;
const STRIP_DAYS = 14;

export class Board {
  readonly #store: Store;
  readonly #index: Pick<SearchIndex, "ask">;
  readonly #site: Site;
  readonly launched: string;
  readonly #counts: SharedValue<BoardCounts>;
  readonly #overview: SharedValue<Overview>;

  /** @param parts.launched  date of the first start, `2026-11-20` */
  constructor(parts: {
    store: Store;
    index: Pick<SearchIndex, "ask">;
    site: Site;
    launched: string;
  }) {
    this.#store = parts.store;
    this.#index = parts.index;
    this.#site = parts.site;
    this.launched = parts.launched;
    const { store, index } = parts;
    this.#counts = new SharedValue({
      name: "board:counts",
      maxAgeMs: COUNTS_MS,
      read: (now) => store.statistics.counts(now),
      store,
    });
    this.#overview = new SharedValue({
      name: "board:overview",
      maxAgeMs: OVERVIEW_MS,
      read: (now) => this.#readOverview(index, now),
      store,
    });
  }

  /** Gives counts of what the board holds, slightly old. */
  counts(now: number): Promise<BoardCounts> {
    return this.#counts.get(now);
  }

  /** Gives the `board` member of every `meta`. */
  async meta(now: number) {
    const counts = await this.counts(now);
    return {
      active_posts: counts.activePosts,
      publishers: counts.publishers,
      posts_today: counts.postsToday,
      launched: this.launched,
    };
  }

  /** Answers `GET /board`. */
  async about(now: number) {
    const { searches, ...overview } = await this.#overviewAsCounted(now);
    const posts = new Map(overview.postsByDay.map(({ day, posts: count }) => [day, count]));
    const days = Array.from({ length: STRIP_DAYS }, (_, i) => dayOf(now - (STRIP_DAYS - 1 - i) * DAY_MS));
    return {
      name: this.#site.identity.name,
      description: this.#site.identity.description,
      launched: this.launched,
      counted_at: isoTime(overview.at),
      posts: {
        active: overview.activePosts,
        searchable: Object.values(overview.listed).reduce((sum, count) => sum + count, 0),
        first_hand: overview.firstHand,
        syndicated: overview.syndicated,
        today: overview.postsToday,
      },
      publishers: overview.publishers,
      subscriptions: overview.subscriptions,
      kinds: overview.listed,
      top_tags: overview.topTags,
      top_places: overview.places,
      days: days.map((day) => ({ day, posts: posts.get(day) ?? 0, searches: searches[day] ?? 0 })),
      limits: {
        title_chars: LIMITS.titleChars,
        body_chars: LIMITS.bodyChars,
        tags: LIMITS.tags,
        tag_chars: LIMITS.tagChars,
        metadata_bytes: LIMITS.metadataBytes,
        request_bytes: LIMITS.requestBytes,
        lifetime_days: LIMITS.lifetimeDays,
        search_limit: 100,
        radius_km: RADIUS_KM.max,
        subscriptions: 50,
      },
      endpoints: {
        api: this.#site.api,
        mcp: this.#site.mcp,
        manual: this.#site.manual,
        openapi: `${this.#site.root}/openapi.json`,
        feed: `${this.#site.root}/feed.xml`,
        terms: `${this.#site.root}/terms`,
        privacy: `${this.#site.root}/privacy`,
      },
    };
  }

  /** Counts what the board holds now: the `board` member of `GET /metrics`. */
  async census(now: number) {
    const { activePosts, publishers, postsToday, firstHand, ...rest } = await this.#overviewAsCounted(now);
    return {
      active_posts: activePosts,
      publishers,
      posts_today: postsToday,
      launched: this.launched,
      first_hand: firstHand,
      syndicated: rest.syndicated,
      subscriptions: rest.subscriptions,
      kinds: rest.kinds,
    };
  }

  /** Reads the overview with the counts of `meta.board`, so that an answer says one thing, however old its parts are. */
  async #overviewAsCounted(now: number): Promise<Overview> {
    const [overview, counts] = await Promise.all([this.#overview.get(now), this.counts(now)]);
    return { ...overview, ...counts, firstHand: Math.max(0, counts.activePosts - overview.syndicated) };
  }

  async #readOverview(index: Pick<SearchIndex, "ask">, now: number): Promise<Overview> {
    const { statistics } = this.#store;
    const overview = await statistics.overview(now, STRIP_DAYS);
    const places = await topPlaces(index, now).catch(noneWhileAway);
    const rows = await statistics.read(dayOf(now - (STRIP_DAYS - 1) * DAY_MS));
    const searches = rows.filter(({ name }) => name === "searches");
    const listed = await this.#listed(now).catch(() => overview.kinds);
    return {
      ...overview,
      at: now,
      listed,
      places,
      searches: Object.fromEntries(searches.map(({ day, n }) => [day, n])),
    };
  }

  /** Counts the posts that a search for each kind lists. */
  async #listed(now: number): Promise<Record<Kind, number>> {
    const counts = KINDS.map(async (kind) => {
      const question = { ...everything(now), filter: filterOf({ kind: [kind] }, now), distinct: true };
      return [kind, await this.#index.ask("count", question)] as const;
    });
    return Object.fromEntries(await Promise.all(counts)) as Record<Kind, number>;
  }
}

/**
 * Holds the store's overview of a moment, what searches list by kind, the towns with the most posts, and the searches of
 * the last 14 days, by UTC day.
 */
type Overview = BoardOverview & {
  at: number;
  listed: Readonly<Record<Kind, number>>;
  places: TopPlace[];
  searches: Readonly<Record<string, number>>;
};

const everything = (now: number) => ({ filter: filterOf({}, now), words: null, vector: null, minCosine: 0 });

/** While the index is filled there are no places; the board has all else to tell. */
function noneWhileAway(error: unknown): TopPlace[] {
  if (error instanceof StoreUnavailable) return [];
  throw error;
}

const PLACES = 25;
/** Posts at further spots are not counted. */
const SPOTS_MAX = 1_000;
/** This many spots are looked up in one go, which takes a few milliseconds. */
const SPOTS_PER_STEP = 10;

/** Names a town and counts the posts in it or near. */
interface TopPlace {
  /** Reads like `Portland, Oregon`: `near` takes it. */
  place: string;
  count: number;
}

/**
 * Finds the 25 towns with the most posts that a search without words finds, equal ones by name. Each post counts for one,
 * the largest within 20 km.
 */
async function topPlaces(index: Pick<SearchIndex, "ask">, now: number): Promise<TopPlace[]> {
  const spots = await index.ask("spots", everything(now), SPOTS_MAX);
  const counts = new Map<number, number>();
  for (const [at, { count, ...point }] of spots.entries()) {
    if (at % SPOTS_PER_STEP === SPOTS_PER_STEP - 1) await nextTurn();
    const town = townAround(point);
    if (town !== null) counts.set(town, (counts.get(town) ?? 0) + count);
  }
  const places: TopPlace[] = [];
  // Numbers of towns are in the order of their names.
  for (const [town, count] of [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0])) {
    if (places.length === PLACES) break;
    await nextTurn();
    const place = townNumbered(town)?.label;
    if (place !== undefined) places.push({ place, count });
  }
  return places;
}
