import { stat, statfs } from "node:fs/promises";
import { setTimeout as after } from "node:timers/promises";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Board } from "../../domain/board/index.ts";
import { LAST_BACKUP } from "../../domain/board/metrics.ts";
import type { Usage } from "../../domain/board/usage.ts";
import type { Waits } from "../../domain/subscriptions/waits.ts";
import { VERSION } from "../../platform/version.ts";
import type { Embedder } from "../../ports/embedder.ts";
import type { Store, WorkKind } from "../../ports/store/index.ts";

interface FeedState {
  failures: number;
  succeededAt: number | null;
  lastError: string | null;
}

/** These parts of a board are measured. */
export interface MeasuredBoard {
  config: { dataDir: string; storeUrl: string };
  store: Store;
  embedder: Embedder;
  services: { board: Board; waits: Waits };
  syndication: {
    feeds: {
      all(): Promise<{ id: string; name: string; paused: boolean }[]>;
      state(id: string): Promise<FeedState>;
    };
  };
  usage: Usage;
  held: () => { queries: number; bytes: number };
  clock: () => number;
}

const WORK: readonly WorkKind[] = ["match", "embed"];
export const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** A store that does not answer must not keep the other figures from whoever asks: Prometheus waits ten seconds. */
const ASKED_MS = 3_000;
/** Posts with open reports are counted up to here. */
const REPORTED_MAX = 1_000;

type Figure = number | Readonly<Record<string, number>>;

const sizeOf = ({ size }: { size: number }) => size;

/**
 * Measures a board for Prometheus: what docs/operate.md lists. No label holds a key, a query, an address or a name that a
 * stranger chose.
 */
export function measured(board: MeasuredBoard): Registry {
  const { store, clock, usage, config } = board;
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  /** Tells a figure, or one for each value of a label. What cannot be told now is NaN, or left out. */
  const gauge = (name: string, help: string, read: () => Figure | Promise<Figure>, label?: string) =>
    new Gauge({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers,
      async collect() {
        const figure = await inTime(read, label === undefined ? Number.NaN : {});
        if (typeof figure === "number") return this.set(figure);
        this.reset();
        for (const [value, each] of Object.entries(figure)) this.set({ [label ?? ""]: value }, each);
      },
    });
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers });
  const times = (name: string, label: string, help: string) =>
    new Histogram({ name, help, labelNames: [label], buckets: SECONDS, registers });
  const ofWork = (read: (kind: WorkKind) => Promise<number>) => async () =>
    Object.fromEntries(await Promise.all(WORK.map(async (kind) => [kind, await read(kind)])));
  const ageS = (at: number | null) => (at === null ? 0 : Math.max(0, clock() - at) / 1_000);

  new Gauge({ name: "board_build_info", help: "1.", labelNames: ["version", "node"], registers }).set(
    { version: VERSION, node: process.version },
    1,
  );
  const ping = shared(() => store.ping().catch(() => null));
  gauge("board_store_readable", "1 while the store answers.", async () => Number((await ping()) !== null));
  gauge("board_store_writable", "1 while the store can be written.", async () =>
    Number((await ping())?.unwritable === null),
  );

  const answers = counter(
    "board_answers_total",
    "Answers by operation and status; tools of the MCP server as tool:NAME.",
    "operation",
    "status",
  );
  const answerTimes = times(
    "board_answer_duration_seconds",
    "operation",
    "Time of answers to operations and tools that succeeded, without calls that waited for news.",
  );
  const stages = times("board_search_stage_seconds", "stage", "Time of searches, by stage.");
  const pushes = counter("board_push_attempts_total", "Attempts to reach webhooks, by result.", "result");
  const givenUp = counter("board_webhooks_given_up_total", "Webhooks that were given up.");
  usage.listen({
    answered(operation, status, ms) {
      answers.inc({ operation, status });
      if (ms !== null) answerTimes.observe({ operation }, ms / 1_000);
    },
    staged: (stage, ms) => stages.observe({ stage }, ms / 1_000),
    pushed(delivered, isGivenUp) {
      pushes.inc({ result: delivered ? "delivered" : "failed" });
      if (isGivenUp) givenUp.inc();
    },
  });
  // Rates of what has not happened yet are 0.
  for (const result of ["delivered", "failed"]) pushes.inc({ result }, 0);

  const backlog = shared(() => store.pushes.backlog());
  gauge("board_pushes_waiting", "Pushes that wait for webhooks.", async () => (await backlog()).waiting);
  gauge("board_pushes_oldest_seconds", "Since the oldest of them matched.", async () =>
    ageS((await backlog()).oldestAt),
  );
  const waiting = ofWork((kind) => store.work.backlog(kind));
  gauge("board_work_waiting", "Posts that wait to be matched or embedded.", waiting, "kind");
  const oldest = ofWork(async (kind) => ageS(await store.work.oldest(kind)));
  gauge("board_work_oldest_seconds", "Since the next of them was last written.", oldest, "kind");

  const ofFeeds = (figure: (state: FeedState) => number) => async () => {
    const { feeds } = board.syndication;
    const active = (await feeds.all()).filter(({ paused }) => !paused);
    return Object.fromEntries(
      await Promise.all(active.map(async ({ id }) => [id, figure(await feeds.state(id))])),
    );
  };
  const failures = ofFeeds((state) => state.failures);
  gauge("board_feed_failures", "Failed polls in a row of each feed.", failures, "feed");
  const succeeded = ofFeeds(({ succeededAt }) => (succeededAt ?? 0) / 1_000);
  const last = "When each feed was last polled with success; 0 for never.";
  gauge("board_feed_last_success_timestamp_seconds", last, succeeded, "feed");

  const meta = () => board.services.board.meta(clock());
  const active = "Posts and replies neither expired nor removed.";
  gauge("board_posts_active", active, async () => (await meta()).active_posts);
  gauge("board_publishers", "Registered publishers.", async () => (await meta()).publishers);
  const open = `Posts with open reports, counted up to ${REPORTED_MAX}.`;
  gauge("board_reports_open", open, async () => (await store.reports.queue(REPORTED_MAX)).length);
  const held = "Saved queries that this process keeps in memory to match them.";
  gauge("board_saved_queries_held", held, () => board.held().queries);
  gauge("board_saved_queries_bytes", "About how much memory these take.", () => board.held().bytes);
  gauge("board_calls_waiting", "Calls that wait for a match.", () => board.services.waits.count);
  const ready = () => Number(board.embedder.state() === "ready");
  gauge("board_model_ready", "1 when texts can be embedded.", ready);

  gauge("board_backup_timestamp_seconds", "When `backup` last succeeded; NaN for never.", async () => {
    const at = await store.settings.get(LAST_BACKUP);
    return at === null ? Number.NaN : Number(at) / 1_000;
  });
  const path = decodeURIComponent(/^sqlite:(.+)$/.exec(config.storeUrl)?.[1] ?? "");
  const files = path === "" ? {} : { database: path, wal: `${path}-wal`, snapshot: `${path}-search` };
  const sizes = async () =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(files).map(async ([file, at]) => [file, await stat(at).then(sizeOf, () => 0)]),
      ),
    );
  gauge("board_file_bytes", "Sizes of the files of SQLite.", sizes, "file");
  const disk = () => statfs(config.dataDir);
  const free = async () => disk().then(({ bavail, bsize }) => bavail * bsize);
  gauge("board_disk_free_bytes", "Free space where the data folder is.", free);
  const whole = async () => disk().then(({ blocks, bsize }) => blocks * bsize);
  gauge("board_disk_bytes", "Size of that file system.", whole);
  return registry;
}

/** Gives what is read, or the other where that fails or takes too long. */
async function inTime<T>(read: () => T | Promise<T>, otherwise: T): Promise<T> {
  const late = after(ASKED_MS, otherwise, { ref: false });
  try {
    return await Promise.race([read(), late]);
  } catch {
    return otherwise;
  }
}

/** Makes one reading do for all who ask while it is under way. */
function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null;
  return () => {
    underWay ??= read().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}
