/**
 * What boards of three sizes need, from what was measured at 100,000 posts. Nothing here was run at those sizes.
 *
 *   npx tsx bench/scaling.ts     prints the tables of docs/scaling.md, the same ones every time
 */
import { pathToFileURL } from "node:url";
import { ASSUMED, COSTS } from "./scaling/costs.ts";
import { type Estimate, estimate, type Scenario } from "./scaling/estimate.ts";
import { pushesPerSecondMax, pushWaits } from "./scaling/push-queue.ts";
import { scattered, shardsOfPosts } from "./scaling/sampling.ts";
import { seeded } from "./support/corpus.ts";

/** So many come, and as many go, a second at the peak. */
const postsPerSecond = (posts: number) => (posts / (ASSUMED.postDays * 86_400)) * ASSUMED.peak;
const SCENARIOS: readonly Scenario[] = [
  { name: "100 thousand", posts: 1e5, searchesPerSecond: 10, savedQueries: 10_000 },
  { name: "10 million", posts: 1e7, searchesPerSecond: 200, savedQueries: 1_000_000 },
  { name: "1 billion", posts: 1e9, searchesPerSecond: 5_000, savedQueries: 20_000_000 },
].map((scenario) => ({ ...scenario, postsPerSecond: postsPerSecond(scenario.posts) }));
const SHARDS = [1, 4, 16, 64];
const PAGE = 20;
/** Pushes a second that are played. */
const PUSHES = [1, 10, 50, 100, 150, 200];
const WAIT_MS_MAX = 1_000;
const OUTBOX = {
  claim: COSTS.pushClaim,
  furtherMs: COSTS.furtherPush,
  attempt: ASSUMED.attempt,
  settle: COSTS.pushSettle,
  places: ASSUMED.pushesAtOnce,
};

/** The tables as Markdown, in the order of docs/scaling.md. */
export function scalingTables(): Record<"sizes" | "ends" | "shards" | "serial" | "outbox", string> {
  return { sizes: sizes(), ends: ends(), shards: shards(), serial: serial(), outbox: outbox() };
}

function sizes(): string {
  const estimates = SCENARIOS.map(estimate);
  const row = (name: string, cell: (estimate: Estimate, scenario: Scenario) => string) => [
    name,
    ...estimates.map((one, i) => cell(one, SCENARIOS[i] as Scenario)),
  ];
  return table(
    ["", ...SCENARIOS.map(({ name }) => `${name} posts`)],
    [
      row("posts a second at the peak", (_, scenario) => number(scenario.postsPerSecond)),
      row("searches a second at the peak", (_, scenario) => number(scenario.searchesPerSecond)),
      row("saved queries", (_, scenario) => number(scenario.savedQueries)),
      row("data on the disks, compressed", ({ data }) => bytes(data)),
      row("indexes", ({ indexes }) => bytes(indexes)),
      row("MongoDB's memory, together", ({ cache }) => bytes(cache)),
      row("of it for what is not sharded", ({ cacheOfOneShard }) => bytes(cacheOfOneShard)),
      row("shards", (one) => (one.shards === 1 ? "1 (replica set)" : number(one.shards))),
      row("oplog a day", ({ oplogPerDay }) => bytes(oplogPerDay)),
      row("searches answered by", ({ search }) =>
        search === "mongot" ? "mongot" : "each instance's replica",
      ),
      row("memory of an instance", ({ instanceMemory }) => bytes(instanceMemory)),
      row("first start of an instance", ({ replicaStart }) =>
        replicaStart === null ? "–" : time(replicaStart),
      ),
      row("cores busy: searches, without mongot's own", ({ cores }) => number(cores.searching)),
      row("cores busy: matching", ({ cores }) => number(cores.matching)),
      row("cores busy: embedding", ({ cores }) => number(cores.embedding)),
      row("instances", ({ instances }) => number(instances)),
      row("changes a second that each instance reads", ({ changesPerSecond }) => number(changesPerSecond)),
      row("pushes a second", ({ pushesPerSecond }) => number(pushesPerSecond)),
      row("one count of all posts", ({ counts }) => time(counts / 1_000)),
    ],
  );
}

/** Where each part ends, the earliest first. */
function ends(): string {
  const { instanceMemoryMax, indexSearchMax, answerMs } = ASSUMED;
  const rows = [
    {
      what: `a search of the replica takes ${indexSearchMax} ms`,
      posts: (indexSearchMax / COSTS.indexSearch) * 100_000,
      next: "`mongot`",
    },
    {
      what: `the replica takes ${bytes(instanceMemoryMax)} of memory`,
      posts: instanceMemoryMax / COSTS.replicaMemory,
      next: "`mongot`, `LOCAL_INDEX=recent`",
    },
    {
      what: "counting posts for `meta.board` takes 1 s, every 10 s and for each instance",
      posts: 1_000 / COSTS.countsPerPost,
      next: "counts that are kept, or estimated",
    },
    {
      what: `the overview of \`GET /board\` takes longer than an answer may (${answerMs / 1_000} s)`,
      posts: answerMs / COSTS.overviewPerPost,
      next: "counts that are kept, or estimated",
    },
    {
      what: "counting posts takes longer than an answer may: every call that tells `meta.board` fails",
      posts: answerMs / COSTS.countsPerPost,
      next: "counts that are kept, or estimated",
    },
    {
      what: `more posts end than the hourly job erases (${number(ASSUMED.erasedPerHour)})`,
      posts: ASSUMED.erasedPerHour * 24 * ASSUMED.postDays,
      next: "a larger bound in `jobs/housekeeping.ts`",
    },
  ];
  return table(
    ["at posts", "what", "then"],
    rows.sort((a, b) => a.posts - b.posts).map(({ posts, what, next }) => [number(posts), what, next]),
  );
}

/** Tails of what is asked of several shards. */
function shards(): string {
  return table(
    ["shards", "twenty posts by id: p50 / p95 / p99 ms", "a question to all shards"],
    SHARDS.map((shards) => {
      const twenty = scattered(COSTS.read20, (random) => shardsOfPosts(PAGE, shards, random), seeded(shards));
      const all = scattered(COSTS.read20, () => shards, seeded(1_000 + shards));
      const cell = ({ p50, p95, p99 }: typeof all) => [p50, p95, p99].map((ms) => ms.toFixed(1)).join(" / ");
      return [String(shards), cell(twenty), cell(all)];
    }),
  );
}

/** Transactions that wait for each other, over all instances. */
function serial(): string {
  const row = (what: string, ms: number, why: string) => [what, number(1_000 / ms), why];
  return table(
    ["what", "a second, all instances together", "why"],
    [
      row(
        "saving, changing, removing saved queries",
        COSTS.saveQuery,
        "one sequence, so that all see them in order",
      ),
      row("posts of one publisher, replies in one thread", COSTS.insert, "they raise its counter"),
      row("matches of one saved query", COSTS.deliver, "the ids of its deliveries have no gaps"),
      row("claims of pushes, of up to 50 each", COSTS.pushClaim.p50, "the bounds hold over all instances"),
    ],
  );
}

function outbox(): string {
  const max = pushesPerSecondMax(OUTBOX, WAIT_MS_MAX, () => seeded(3));
  return table(
    ["pushes a second", "wait until claimed: p50 / p95"],
    [...PUSHES.filter((n) => n < max), max, Math.ceil(max * 1.2)].map((perSecond) => {
      const { p50, p95 } = pushWaits({ ...OUTBOX, perSecond }, seeded(3));
      return [String(perSecond), `${time(p50 / 1_000)} / ${time(p95 / 1_000)}`];
    }),
  );
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Two digits that count, as nothing here is more exact. */
function rounded(n: number): number {
  return Number(n.toPrecision(2));
}

const number = (n: number): string =>
  n < 0.01 ? "< 0.01" : rounded(n).toLocaleString("en-US", { maximumFractionDigits: 3 });

function bytes(exact: number): string {
  const n = rounded(exact);
  const [unit, size] =
    n < 1e9 ? (["MB", 1e6] as const) : n < 1e12 ? (["GB", 1e9] as const) : (["TB", 1e12] as const);
  return `${number(n / size)} ${unit}`;
}

function time(seconds: number): string {
  if (seconds < 1) return `${number(seconds * 1_000)} ms`;
  if (seconds < 120) return `${number(seconds)} s`;
  return seconds < 7_200 ? `${number(seconds / 60)} min` : `${number(seconds / 3_600)} h`;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const text of Object.values(scalingTables())) console.log(`${text}\n`);
}
