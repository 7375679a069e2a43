/**
 * Precision, recall and F1 of standing queries, through a whole board: queries are subscribed, posts are posted, and what
 * comes to pending is held against labels.
 *
 *   BENCH_DATA=/path npx tsx bench/matching-quality.ts      ($BENCH_DATA/standing-queries/{queries,posts,pairs}.jsonl)
 *
 * Borderline pairs are left out. "all pairs" counts unlabelled pairs as "no", which is what a subscriber would feel.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { parseInput } from "../src/adapters/calls/input.ts";
import { readConfig } from "../src/config.ts";
import { openBoard } from "../src/open-board.ts";
import type { PostInput } from "../src/schema/post.ts";
import type { SubscriptionInput } from "../src/schema/subscription.ts";
import createPost from "../tools/create_post.ts";
import subscribe from "../tools/subscribe.ts";

const data = process.env["BENCH_DATA"];
if (data === undefined) throw new Error("Set BENCH_DATA to the folder that holds standing-queries/.");
const rowsOf = async (name: string) =>
  (await readFile(join(data, "standing-queries", `${name}.jsonl`), "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** The labelled posts carry dates of their own; the board's clock stands before all of them. */
const CLOCK = Date.UTC(2026, 0, 1);
const dataDir = await mkdtemp(join(tmpdir(), "board-bench-"));
let now = CLOCK;
const clock = () => (now += 1);
const config = readConfig({ ...process.env, DATA_DIR: dataDir, EMBEDDINGS: "required", RATE_LIMITS: "off" });
const board = await openBoard(config, { logger: pino({ level: "warn" }), clock });
try {
  await board.embedder.settled();
  board.start();
  const found = await matched();
  const pairs = await rowsOf("pairs");
  const labels = new Map(pairs.map((pair) => [`${pair["query"]} ${pair["post"]}`, pair]));
  const labelled = (hard: boolean) =>
    pairs.filter((pair) => pair["label"] !== "borderline" && (!hard || pair["hard"] === true));
  const isMatch = (pair: Record<string, unknown>) => pair["label"] === "match";
  const nameOf = (pair: Record<string, unknown>) => `${pair["query"]} ${pair["post"]}`;

  for (const [what, hard] of [
    ["labelled pairs", false],
    ["hard labelled pairs", true],
  ] as const) {
    const rows = labelled(hard);
    const hits = rows.filter((pair) => found.has(nameOf(pair)));
    report(what, hits.filter(isMatch).length, hits.length, rows.filter(isMatch).length);
  }
  const judged = [...found].filter((name) => labels.get(name)?.["label"] !== "borderline");
  const right = judged.filter((name) => labels.get(name)?.["label"] === "match").length;
  report("all pairs", right, judged.length, pairs.filter(isMatch).length);
} finally {
  await board.close();
  await rm(dataDir, { recursive: true, force: true });
}

/** Every pair that came to pending, as `query post`. */
async function matched(): Promise<Set<string>> {
  const { services, store } = board;
  const queries = new Map<string, string>();
  const posts = new Map<string, string>();
  let owner = null;
  for (const [i, row] of (await rowsOf("queries")).entries()) {
    // A publisher may have 50 subscriptions.
    if (i % 50 === 0) {
      const { id } = await services.publishers.register({ name: "Bench", accept_terms: true }, clock());
      owner = await store.publishers.get(id);
    }
    if (owner === null) throw new Error("the bench's publisher is gone");
    const input = parseInput(subscribe, { query: row["query"] }, "body").input as SubscriptionInput;
    queries.set((await services.subscriptions.create(input, owner, clock())).id, String(row["id"]));
  }
  if (owner === null) throw new Error("there are no queries");
  for (const row of await rowsOf("posts")) {
    const sent = Object.fromEntries(
      Object.entries(row).filter(([key, value]) => key !== "id" && value !== null),
    );
    const input = parseInput(createPost, { ...sent, expires_at: "2026-12-31T00:00:00Z" }, "body")
      .input as PostInput;
    posts.set(
      (await services.writing.create(input, owner, clock(), { relayed: true })).data.id,
      String(row["id"]),
    );
  }
  while ((await store.work.backlog("embed")) + (await store.work.backlog("match")) > 0) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const found = new Set<string>();
  for (const [id, query] of queries) {
    for (const { postId } of await store.subscriptions.pending(id, 0, 1_000))
      found.add(`${query} ${posts.get(postId)}`);
  }
  return found;
}

function report(what: string, right: number, returned: number, wanted: number): void {
  const precision = right / returned;
  const recall = right / wanted;
  const f1 = (2 * precision * recall) / (precision + recall);
  console.log(
    `${what.padEnd(20)} precision ${precision.toFixed(2)}  recall ${recall.toFixed(2)}  F1 ${f1.toFixed(2)}`,
  );
}
