/**
 * Precision, recall and F1 of standing queries through a whole board: saves queries, writes posts, and compares the
 * pending matches with labels.
 *
 *   BENCH_DATA=/path npx tsx bench/matching-quality.ts      ($BENCH_DATA/standing-queries/{queries,posts,pairs}.jsonl)
 *
 * Borderline pairs are left out. "all pairs" counts unlabelled pairs as "no", as a subscriber would.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseInput } from "../src/adapters/calls/input.ts";
import type { SubscriptionInput } from "../src/schema/subscription.ts";
import { startBoard } from "../test/support/boards/board.ts";
import subscribe from "../tools/subscribe.ts";
import { dataFolder, readRows } from "./support/data.ts";
import { newPublisher, writePosts } from "./support/writing.ts";

type Row = Record<string, unknown>;
const folder = dataFolder("standing-queries");
const rowsOf = (name: string) => readRows<Row>(join(folder, `${name}.jsonl`));

/** Before the dates of all labelled posts. */
let now = Date.UTC(2026, 0, 1);
const clock = () => (now += 1);
const { board, stop } = await startBoard({ EMBEDDINGS: "required", LOG_LEVEL: "warn" }, { clock });
try {
  await board.embedder.settled();
  const found = await matched();
  const pairs = rowsOf("pairs");
  const labels = new Map(pairs.map((pair) => [`${pair["query"]} ${pair["post"]}`, pair]));
  const labelled = (hard: boolean) =>
    pairs.filter((pair) => pair["label"] !== "borderline" && (!hard || pair["hard"] === true));
  const isMatch = (pair: Row) => pair["label"] === "match";
  const nameOf = (pair: Row) => `${pair["query"]} ${pair["post"]}`;

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
  await stop();
}

/** All pending pairs, as `query post`. */
async function matched(): Promise<Set<string>> {
  const { services, store } = board;
  const queries = new Map<string, string>();
  let owner = await newPublisher(board);
  for (const [i, row] of rowsOf("queries").entries()) {
    // A publisher may have 50 subscriptions.
    if (i % 50 === 49) owner = await newPublisher(board);
    const input = parseInput(subscribe, { query: row["query"] }, "body").input as SubscriptionInput;
    queries.set((await services.subscriptions.create(input, owner, clock())).id, String(row["id"]));
  }
  const rows = rowsOf("posts");
  const sent = rows.map(({ id: _id, ...row }) => ({
    ...Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)),
    expires_at: "2026-12-31T00:00:00Z",
  }));
  const ids = await writePosts(board, owner, sent);
  const posts = new Map(ids.map((id, i) => [id, String(rows[i]?.["id"])]));
  while ((await store.work.backlog("embed")) + (await store.work.backlog("match")) > 0) await sleep(100);
  const found = new Set<string>();
  for (const [id, query] of queries) {
    for (const { post } of await store.subscriptions.pending(id, 0, 1_000))
      found.add(`${query} ${posts.get(post.id)}`);
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
