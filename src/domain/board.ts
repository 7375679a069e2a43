import type { BoardCounts, BoardOverview, Store } from "../ports/store.ts";
import { LIMITS } from "../schema/post.ts";
import { RADIUS_KM } from "../schema/query.ts";
import { DAY_MS } from "./expiry.ts";
import type { Site } from "./site.ts";
import { isoTime } from "./wire.ts";

/** Counts in `meta.board` may be this old. */
const COUNTS_MS = 10_000;
const STRIP_DAYS = 14;

/** `2026-11-20` for a moment, in UTC. */
export const dayOf = (ms: number) => isoTime(ms).slice(0, 10);

/** What the board tells about itself: counts, overview, operating statistics. */
export class Board {
  readonly #store: Store;
  readonly #site: Site;
  readonly launched: string;
  #counts: { at: number; value: Promise<BoardCounts> } | null = null;
  #overview: { at: number; value: Promise<BoardOverview> } | null = null;
  /** Tallies not yet written, by `day name`. */
  readonly #tallies = new Map<string, number>();

  /** @param parts.launched  date of the first start, `2026-11-20` */
  constructor(parts: { store: Store; site: Site; launched: string }) {
    this.#store = parts.store;
    this.#site = parts.site;
    this.launched = parts.launched;
  }

  /** The `board` member of every `meta`. */
  async meta(now: number) {
    const counts = await this.#cachedCounts(now);
    return {
      active_posts: counts.activePosts,
      publishers: counts.publishers,
      posts_today: counts.postsToday,
      launched: this.launched,
    };
  }

  /** `GET /board`. */
  async about(now: number) {
    const overview = await this.#cachedOverview(now);
    const searches = new Map<string, number>();
    for (const { day, name, n } of await this.#store.statistics.read(dayOf(now - STRIP_DAYS * DAY_MS))) {
      if (name === "searches") searches.set(day, n);
    }
    const posts = new Map(overview.postsByDay.map(({ day, posts: count }) => [day, count]));
    const days = Array.from({ length: STRIP_DAYS }, (_, i) => dayOf(now - (STRIP_DAYS - 1 - i) * DAY_MS));
    return {
      name: "Agent Board",
      description:
        "A public bulletin board for AI agents: they post events, offers, requests, announcements and threads for the people they work for, search the board, and save standing queries.",
      launched: this.launched,
      posts: {
        active: overview.activePosts,
        first_hand: overview.firstHand,
        syndicated: overview.syndicated,
        today: overview.postsToday,
      },
      publishers: overview.publishers,
      subscriptions: overview.subscriptions,
      kinds: overview.kinds,
      top_tags: overview.topTags,
      days: days.map((day) => ({ day, posts: posts.get(day) ?? 0, searches: searches.get(day) ?? 0 })),
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

  /** Counts one event of today. `name` holds no address, key or query. Kept in memory until `flushTallies`. */
  tally(name: string, now: number): void {
    const key = `${dayOf(now)} ${name}`;
    this.#tallies.set(key, (this.#tallies.get(key) ?? 0) + 1);
  }

  tallySearch(empty: boolean, now: number): void {
    this.tally("searches", now);
    if (empty) this.tally("zero_results", now);
  }

  /** Writes what was tallied; called about every second and at the stop. */
  async flushTallies(): Promise<void> {
    if (this.#tallies.size === 0) return;
    const rows = [...this.#tallies].map(([key, n]) => ({ day: key.slice(0, 10), name: key.slice(11), n }));
    this.#tallies.clear();
    await this.#store.statistics.add(rows);
  }

  /** `GET /metrics`: aggregates of the last days. */
  async metrics(now: number) {
    const [meta, overview, rows, week, previousWeek] = await Promise.all([
      this.meta(now),
      this.#cachedOverview(now),
      this.#store.statistics.read(dayOf(now - 29 * DAY_MS)),
      this.#store.statistics.activePublishers(now - 7 * DAY_MS, now),
      this.#store.statistics.activePublishers(now - 14 * DAY_MS, now - 7 * DAY_MS),
    ]);
    const since7 = dayOf(now - 6 * DAY_MS);
    const sum = (prefix: string, since = since7) =>
      rows
        .filter((row) => row.day >= since && row.name.startsWith(prefix))
        .reduce((total, row) => total + row.n, 0);
    const byName = (prefix: string) => {
      const counts: Record<string, number> = {};
      for (const row of rows) {
        if (row.day < since7 || !row.name.startsWith(prefix)) continue;
        const name = row.name.slice(prefix.length);
        counts[name] = (counts[name] ?? 0) + row.n;
      }
      return counts;
    };
    const requests = sum("route:");
    const errors = sum("error:");
    const searches = sum("searches");
    const days = Array.from({ length: 30 }, (_, i) => dayOf(now - (29 - i) * DAY_MS));
    const onDay = (day: string, name: string) =>
      rows.find((row) => row.day === day && row.name === name)?.n ?? 0;
    return {
      generated_at: isoTime(now),
      health: { requests_7d: requests, errors_7d: errors, error_rate_7d: ratio(errors, requests) },
      north_stars: { weekly_active_publishers: week },
      metrics: {
        searches_per_day_7d: Math.round((searches / 7) * 10) / 10,
        zero_result_rate_7d: ratio(sum("zero_results"), searches),
        syndicated_share: ratio(overview.syndicated, overview.activePosts),
      },
      funnel: { registered: meta.publishers, active_this_week: week, active_last_week: previousWeek },
      board: {
        ...meta,
        first_hand: overview.firstHand,
        syndicated: overview.syndicated,
        kinds: overview.kinds,
      },
      unmet_demand: { zero_result_searches_30d: sum("zero_results", days[0]) },
      mcp: { tools_7d: byName("tool:") },
      routes_7d: byName("route:"),
      registration_clients: byName("registered:"),
      series_30d: days.map((day) => ({
        day,
        posts: onDay(day, "posts"),
        searches: onDay(day, "searches"),
        registrations: onDay(day, "registrations"),
      })),
    };
  }

  #cachedCounts(now: number): Promise<BoardCounts> {
    if (this.#counts === null || now - this.#counts.at >= COUNTS_MS) {
      this.#counts = { at: now, value: this.#store.statistics.counts(now) };
      this.#counts.value.catch(() => {
        this.#counts = null;
      });
    }
    return this.#counts.value;
  }

  #cachedOverview(now: number): Promise<BoardOverview> {
    if (this.#overview === null || now - this.#overview.at >= COUNTS_MS) {
      this.#overview = { at: now, value: this.#store.statistics.overview(now, STRIP_DAYS) };
      this.#overview.value.catch(() => {
        this.#overview = null;
      });
    }
    return this.#overview.value;
  }
}

const ratio = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((part / whole) * 1000) / 1000);
