import type { z } from "zod";
import { DAY_MS } from "../../platform/time.ts";
import type { Store } from "../../ports/store/index.ts";
import type { Metrics as MetricsResource } from "../../schema/board.ts";
import { dayOf, isoTime } from "../resources.ts";
import type { Board } from "./index.ts";
import { SharedValue } from "./shared-value.ts";
import { DEMAND } from "./unmet-demand.ts";
import { callersBehind, SEEKER } from "./usage.ts";

/** Counts of active publishers may be this old. Taking them reads every post of a month. */
const ACTIVE_MS = 60_000;
const SERIES_DAYS = 30;
const DEMAND_MAX = 20;

/** This setting holds when `backup` last succeeded, in epoch milliseconds. */
export const LAST_BACKUP = "last_backup";

type Row = { day: string; name: string; n: number };

/** Aggregates operating statistics by day from counters that hold no address, key or query. */
export class Metrics {
  readonly #store: Store;
  readonly #board: Board;
  readonly #jobs: readonly string[];
  readonly #active: SharedValue<ActivePublishers>;

  /** @param parts.jobs  names of the jobs whose last runs are published; `jobEnded` records them */
  constructor(parts: { store: Store; board: Board; jobs: readonly string[] }) {
    this.#store = parts.store;
    this.#board = parts.board;
    this.#jobs = parts.jobs;
    this.#active = new SharedValue({
      name: "board:active-publishers",
      maxAgeMs: ACTIVE_MS,
      read: (now) => this.#countActive(now),
      store: parts.store,
    });
  }

  /** Records a job's run where every process of the board can read it. */
  async jobEnded(job: string, ok: boolean, now: number): Promise<void> {
    await this.#store.settings.set(`job:${job}`, JSON.stringify({ at: now, ok }));
  }

  /** Answers `GET /metrics`. */
  async read(now: number): Promise<z.input<typeof MetricsResource>> {
    const [board, active, jobs, rows] = await Promise.all([
      this.#board.census(now),
      this.#active.get(now),
      Promise.all(this.#jobs.map((name) => this.#lastRun(name))),
      this.#store.statistics.read(dayOf(now - (SERIES_DAYS - 1) * DAY_MS)),
    ]);
    const week = rows.filter((row) => row.day >= dayOf(now - 6 * DAY_MS));
    const requests = sumOf(week, "route:");
    const errors = sumOf(week, "error:");
    const searches = sumOf(week, "searches");
    const deliveries = sumOf(week, "deliveries");
    const attempts = deliveries + sumOf(week, "delivery_failures");
    const seekers = new Set(week.filter(({ name }) => name.startsWith(SEEKER)).map(({ name }) => name));
    return {
      generated_at: isoTime(now),
      health: {
        requests_7d: requests,
        errors_7d: errors,
        error_rate_7d: ratio(errors, requests),
        jobs,
      },
      north_stars: {
        weekly_active_publishers: active.week,
        weekly_active_seekers: callersBehind(seekers.size),
      },
      metrics: {
        posts_7d: sumOf(week, "posts"),
        registrations_7d: sumOf(week, "registrations"),
        searches_7d: searches,
        searches_per_day_7d: Math.round((searches / 7) * 10) / 10,
        zero_result_rate_7d: ratio(sumOf(week, "zero_results"), searches),
        deliveries_7d: deliveries,
        delivery_success_rate_7d: attempts === 0 ? null : ratio(deliveries, attempts),
        syndicated_share: ratio(board.syndicated, board.active_posts),
      },
      funnel: { registered: board.publishers, activated: active.month, retained: active.bothWeeks },
      board,
      unmet_demand: {
        zero_result_searches_30d: sumOf(rows, "zero_results"),
        terms: topOf(rows, DEMAND.terms).map(([term, n]) => ({ term, searches: n })),
        kinds: topOf(rows, DEMAND.kinds).map(([kind, n]) => ({ kind, searches: n })),
        places: topOf(rows, DEMAND.places).map(([near, n]) => ({ near, searches: n })),
        tags: topOf(rows, DEMAND.tags).map(([tag, n]) => ({ tag, searches: n })),
      },
      mcp: { clients_30d: byName(rows, "client:"), tools_7d: byName(week, "tool:") },
      routes_7d: byName(week, "route:"),
      registration_clients: byName(rows, "registered:"),
      series_30d: seriesOf(rows, now),
    };
  }

  async #lastRun(name: string) {
    const kept = await this.#store.settings.get(`job:${name}`);
    if (kept === null) return { name, last_run: null, ok: null };
    const { at, ok } = JSON.parse(kept) as { at: number; ok: boolean };
    return { name, last_run: isoTime(at), ok };
  }

  async #countActive(now: number): Promise<ActivePublishers> {
    const since = (days: number, until = 0) =>
      // The store excludes the upper bound; a post of this very millisecond counts.
      this.#store.statistics.activePublishers(now - days * DAY_MS, now - until * DAY_MS + 1);
    const [week, weekBefore, twoWeeks, month] = await Promise.all([
      since(7),
      since(14, 7),
      since(14),
      since(30),
    ]);
    return { week, month, bothWeeks: Math.max(0, week + weekBefore - twoWeeks) };
  }
}

interface ActivePublishers {
  week: number;
  month: number;
  /** This many publishers wrote both this week and the week before. */
  bothWeeks: number;
}

const sumOf = (rows: readonly Row[], prefix: string) =>
  rows.reduce((sum, row) => (row.name.startsWith(prefix) ? sum + row.n : sum), 0);

function byName(rows: readonly Row[], prefix: string): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { name, n } of rows) {
    if (!name.startsWith(prefix)) continue;
    const rest = name.slice(prefix.length);
    counts.set(rest, (counts.get(rest) ?? 0) + n);
  }
  return Object.fromEntries([...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)));
}

const topOf = (rows: readonly Row[], prefix: string) =>
  Object.entries(byName(rows, prefix)).slice(0, DEMAND_MAX);

/** Lists the last 30 UTC days, oldest first, quiet days included. */
function seriesOf(rows: readonly Row[], now: number) {
  const counts = new Map(rows.map(({ day, name, n }) => [`${day} ${name}`, n]));
  return Array.from({ length: SERIES_DAYS }, (_, i) => {
    const day = dayOf(now - (SERIES_DAYS - 1 - i) * DAY_MS);
    const on = (name: string) => counts.get(`${day} ${name}`) ?? 0;
    return {
      day,
      posts: on("posts"),
      searches: on("searches"),
      zero_results: on("zero_results"),
      registrations: on("registrations"),
      deliveries: on("deliveries"),
      delivery_failures: on("delivery_failures"),
    };
  });
}

/** The ratio lies in 0…1, rounded to three decimals; 0 when the whole is 0. */
const ratio = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((part / whole) * 1000) / 1000);
