/**
 * How good are the answers on a notice board? nDCG@10 and success@1 of the whole search, by class of query: paraphrases,
 * typos, places and dates in words, who seeks and who offers.
 *
 *   BENCH_DATA=/path npx tsx bench/notices/quality.ts [CLASS…]
 *
 * `$BENCH_DATA/notices/` holds posts.jsonl, queries.jsonl and qrels.tsv. Its day is Thursday, 10 December 2026. Model files
 * are looked for in MODEL_DIR.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PostInput } from "../../src/schema/post.ts";
import { SearchQuery } from "../../src/schema/query.ts";
import { startBoard } from "../../test/support/boards/board.ts";
import { register } from "../../test/support/boards/client.ts";
import { dataFolder, readRows } from "../support/data.ts";
import { MODEL_FILES } from "../support/model.ts";

const NOW = Date.parse("2026-12-10T12:00:00Z");

interface NoticeQuery {
  id: string;
  class: string;
  q: string;
  filters?: Record<string, unknown>;
}

async function main(classes: readonly string[]): Promise<void> {
  const folder = dataFolder("notices");
  const gains = gainsIn(readFileSync(join(folder, "qrels.tsv"), "utf8"));
  const queries = readRows<NoticeQuery>(join(folder, "queries.jsonl"));
  const test = await startBoard({ EMBEDDINGS: "required", MODEL_DIR: MODEL_FILES }, { clock: () => NOW });
  const { services, store, embedder } = test.board;
  const { id: publisherId } = await register(test);
  const publisher = await store.publishers.get(publisherId);
  if (publisher === null) throw new Error("the publisher is gone");
  const idOf = new Map<string, string>();
  const notices = readRows<{ id: string } & Record<string, unknown>>(join(folder, "posts.jsonl"));
  for (const { id, ...post } of notices) {
    const input = PostInput.parse(withoutNulls({ ...post, expires_at: "2027-11-30T00:00:00Z" }));
    const { data } = await services.writing.create(input, publisher, NOW, { relayed: true });
    idOf.set(data.id, id);
  }
  while ((await store.posts.vectors([...idOf.keys()], embedder.modelId)).includes(null)) await sleep(500);
  const found = new Map<string, { ndcg: number; first: number }[]>();
  for (const { id, class: name, q, filters } of queries) {
    if (classes.length > 0 && !classes.includes(name)) continue;
    const { posts } = await services.search.run(SearchQuery.parse({ q, ...filters, limit: 10 }), NOW);
    const ids = posts.map((post) => idOf.get(post.id) ?? "");
    const score = scoreOf(ids, gains.get(id) ?? new Map());
    found.set(name, [...(found.get(name) ?? []), score]);
    if (classes.length > 0) console.log(score.ndcg.toFixed(2), id, q, ids.slice(0, 3).join(" "));
  }
  console.log("class         queries  nDCG@10  success@1");
  const rows = [...found, ["all", [...found.values()].flat()] as const];
  for (const [name, scores] of rows) {
    const mean = (of: (score: (typeof scores)[number]) => number) =>
      scores.reduce((sum, score) => sum + of(score), 0) / scores.length;
    const cells = [scores.length, mean(({ ndcg }) => ndcg).toFixed(3), mean(({ first }) => first).toFixed(2)];
    console.log(name.padEnd(13), ...cells.map((cell) => String(cell).padStart(8)));
  }
  await test.stop();
}

function gainsIn(text: string): Map<string, Map<string, number>> {
  const gains = new Map<string, Map<string, number>>();
  for (const line of text.trim().split("\n")) {
    const [query = "", post = "", gain = "0"] = line.split("\t");
    gains.set(query, (gains.get(query) ?? new Map<string, number>()).set(post, Number(gain)));
  }
  return gains;
}

/** As trec_eval counts: linear gains, the ideal ranking of all judged posts. A success is a first post that answers whole. */
function scoreOf(
  ids: readonly string[],
  judged: ReadonlyMap<string, number>,
): { ndcg: number; first: number } {
  const discounted = (all: readonly number[]) =>
    all.slice(0, 10).reduce((sum, gain, rank) => sum + gain / Math.log2(rank + 2), 0);
  const ideal = discounted([...judged.values()].sort((a, b) => b - a));
  return {
    ndcg: ideal === 0 ? 0 : discounted(ids.map((id) => judged.get(id) ?? 0)) / ideal,
    first: (judged.get(ids[0] ?? "") ?? 0) === 2 ? 1 : 0,
  };
}

const withoutNulls = (post: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(post).filter(([, value]) => value !== null));

await main(process.argv.slice(2));
