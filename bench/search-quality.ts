/**
 * How good are the answers? nDCG@10 and Recall@100 of the board's own search on public test collections, by words,
 * by meaning, by both, and reranked; what it misses of an exact ranking of everything; and how far apart related and
 * unrelated texts are for the model.
 *
 *   npx tsx bench/search-quality.ts --notices [--model NAME]
 *   BENCH_DATA=/path npx tsx bench/search-quality.ts [--model NAME]
 *
 * A recall or an nDCG below its floor is an error.
 *
 * Last come the labelled searches of `bench/search-quality/data/`, asked of a whole board: over all queries, by five folds of
 * them, and by class; `--notices` asks these alone.
 *
 * `--model` takes another model, named as EMBEDDING_MODEL has it.
 *
 * `$BENCH_DATA/relevance/<collection>/` holds corpus.jsonl (`_id, title, text`), queries.jsonl (`_id, text`) and qrels.tsv;
 * `$BENCH_DATA/standing-queries/` posts.jsonl, queries.jsonl and pairs.jsonl. Model files are looked for in MODEL_DIR.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Embedder } from "../src/ports/embedder.ts";
import type { IndexEntry, Question } from "../src/ports/search-index.ts";
import { cosineOf, quantize } from "../src/search/ranking/vectors.ts";
import { parseQueryText } from "../src/search/text/query-text.ts";
import { OPEN_FILTER } from "../test/support/boards/questions.ts";
import { anEntry } from "../test/support/search/rows.ts";
import { measureNotices, readNotices, reportNotices } from "./search-quality/notices.ts";
import { dataFolder, readRows } from "./support/data.ts";
import { ExactRanking, recallAt } from "./support/exact-ranking.ts";
import { type IndexedPost, IndexUnderTest } from "./support/index-under-test.ts";
import { embedAll, MODEL_FILES, openModel } from "./support/model.ts";

export interface Collection {
  docs: readonly { _id: string; title: string; text: string }[];
  queries: readonly { _id: string; text: string }[];
  /** Gives the gain of each relevant document, by query and document. */
  gains: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** An index must find this much of an exact ranking of everything. */
const OF_EXACT = { recall10: 0.99, recall100: 0.97 };

export interface Quality {
  ndcg10: number;
  recall100: number;
}

/** Rules were made with the first; the others were made apart from them, so their figures say more. */
const NOTICE_SETS = ["first", "second", "third"] as const;

const METHODS = ["words", "meaning", "hybrid", "hybrid+rerank"] as const;
const FLOORS: Record<string, { hybrid: number; "hybrid+rerank": number }> = {
  cranfield: { hybrid: 0.4, "hybrid+rerank": 0.42 },
  cacm: { hybrid: 0.5, "hybrid+rerank": 0.52 },
  cisi: { hybrid: 0.42, "hybrid+rerank": 0.43 },
};

/** Tells what one method answers. Recall and the run are those of both hybrids alone, against an exact ranking. */
export interface MethodQuality {
  method: (typeof METHODS)[number];
  minCosine: number;
  quality: Quality;
  exact: { recall10: number; recall100: number } | null;
}

/** Indexes a collection and answers its queries by every method, once for each floor of the cosine. */
export async function measure(
  collection: Collection,
  embedder: Embedder,
  floors: readonly number[],
): Promise<MethodQuality[]> {
  const entries = collection.docs.map(({ _id, title, text }) => anEntry({ id: _id, title, body: text }));
  const posts = await embedded(entries, embedder);
  // These queries are prose: their quotes mark titles, their dashes are punctuation; neither is an operator.
  const texts = collection.queries.map(({ text }) => parseQueryText(text.replace(/"|(?<=\s)-+/g, " ")));
  const plain = texts.map((text) => text.plain);
  const vectors = (await embedAll(embedder, plain, "query")).map(quantize);
  const index = new IndexUnderTest(embedder);
  const { margin } = embedder.scale;
  const ranking = new ExactRanking(posts);
  try {
    index.put(posts);
    const rows: MethodQuality[] = [];
    for (const method of METHODS) {
      for (const minCosine of method === "words" ? floors.slice(0, 1) : floors) {
        const rerank = method === "hybrid+rerank";
        const found: string[][] = [];
        const recalls: { recall10: number; recall100: number }[] = [];
        for (const [i, words] of texts.entries()) {
          const question: Question = {
            filter: EVERYTHING,
            words: method === "meaning" ? null : words,
            vector: method === "words" ? null : (vectors[i] ?? null),
            minCosine,
            margin,
          };
          const ids = await index.rank(question, { rerank, limit: 100 });
          found.push(ids);
          if (!method.startsWith("hybrid")) continue;
          const exact = ranking.rank(question, () => true, { rerank });
          recalls.push({ recall10: recallAt(10, ids, exact), recall100: recallAt(100, ids, exact) });
        }
        rows.push({
          method,
          minCosine,
          quality: qualityOf(collection, found),
          exact: recalls.length === 0 ? null : meanOf(recalls),
        });
      }
    }
    return rows;
  } finally {
    ranking.close();
    await index.close();
  }
}

function meanOf(recalls: readonly { recall10: number; recall100: number }[]) {
  const mean = (of: (recall: (typeof recalls)[number]) => number) =>
    recalls.reduce((sum, recall) => sum + of(recall), 0) / recalls.length;
  return { recall10: mean((recall) => recall.recall10), recall100: mean((recall) => recall.recall100) };
}

/** As trec_eval counts: linear gains, the ideal ranking of all judged documents, means over all queries. */
function qualityOf({ queries, gains }: Collection, run: readonly string[][]): Quality {
  let ndcg = 0;
  let recall = 0;
  for (const [i, { _id }] of queries.entries()) {
    const judged = gains.get(_id) ?? new Map<string, number>();
    const found = run[i] ?? [];
    const discounted = (all: number[]) =>
      all.slice(0, 10).reduce((sum, gain, rank) => sum + gain / Math.log2(rank + 2), 0);
    const ideal = discounted([...judged.values()].sort((a, b) => b - a));
    if (ideal > 0) ndcg += discounted(found.map((id) => judged.get(id) ?? 0)) / ideal;
    const relevant = [...judged].filter(([, gain]) => gain > 0).map(([id]) => id);
    const top = new Set(found.slice(0, 100));
    if (relevant.length > 0) recall += relevant.filter((id) => top.has(id)).length / relevant.length;
  }
  return { ndcg10: ndcg / queries.length, recall100: recall / queries.length };
}

async function embedded(entries: readonly IndexEntry[], embedder: Embedder): Promise<IndexedPost[]> {
  const vectors = (await embedAll(embedder, entries, "post")).map(quantize);
  return entries.map((entry, i) => ({ entry, vector: vectors[i] ?? null }));
}

const EVERYTHING: Question["filter"] = { ...OPEN_FILTER, includeReplies: true };

/** These texts have no meaning, or no subject of a notice board. */
const NONSENSE = [
  "asdfghjkl qwertyuiop",
  "blorptastic zindlefrap quonkery",
  "xyzzy plugh frotz",
  "lorem ipsum dolor sit amet",
  "jjjjjjjj kkkkkkkk",
  "9f8a7b6c5d4e3f2a1b",
  "eigenvalues of sparse Hermitian matrices",
  "mitochondrial ribosome assembly",
  "tax law of the Byzantine empire",
  "tensile strength of titanium alloys",
];

/** Reports cosines of saved queries with matching, other and unlabelled posts, and of nonsense with all posts. */
async function reportSeparation(folder: string, embedder: Embedder): Promise<void> {
  type Row = { id: string; title: string; body: string; tags: string[]; location: { name: string } | null };
  const posts = readRows<Row>(join(folder, "posts.jsonl"));
  const queries = readRows<{ id: string; query: { q?: string } }>(join(folder, "queries.jsonl"));
  const pairs = readRows<{ query: string; post: string; label: string; hard: boolean }>(
    join(folder, "pairs.jsonl"),
  );
  const postTexts = posts.map((post) => ({ ...post, placeName: post.location?.name ?? null }));
  const postVectors = (await embedAll(embedder, postTexts, "post")).map(quantize);
  const asked = queries.filter(({ query }) => (query.q ?? "") !== "");
  const plain = asked.map(({ query }) => parseQueryText(query.q ?? "").plain);
  const queryVectors = (await embedAll(embedder, plain, "query")).map(quantize);
  const labels = new Map(
    pairs.map(({ query, post, label, hard }) => [`${query} ${post}`, hard ? `${label} (hard)` : label]),
  );
  const groups = new Map<string, number[]>();
  for (const [i, { id }] of asked.entries()) {
    for (const [j, post] of posts.entries()) {
      const label = labels.get(`${id} ${post.id}`) ?? "unlabelled";
      const cosine = cosineOf(queryVectors[i] ?? new Int8Array(), postVectors[j] ?? new Int8Array());
      groups.set(label, [...(groups.get(label) ?? []), cosine]);
    }
  }
  const nonsense = (await embedAll(embedder, NONSENSE, "query")).map(quantize);
  groups.set(
    "nonsense",
    nonsense.flatMap((vector) => postVectors.map((post) => cosineOf(vector, post))),
  );
  console.log("\nStanding-query set: share of pairs of query and post with a cosine at or above the floor");
  const floors = [0.15, 0.2, 0.25, 0.3, 0.35, 0.4];
  console.log("label (pairs)".padEnd(24), ...floors.map((floor) => floor.toFixed(2).padStart(7)));
  for (const [label, cosines] of groups) {
    const shares = floors.map((floor) => cosines.filter((cosine) => cosine >= floor).length / cosines.length);
    console.log(
      `${label} (${cosines.length})`.padEnd(24),
      ...shares.map((share) => `${(share * 100).toFixed(2)}%`.padStart(7)),
    );
  }
  const entries = posts.map((post) => anEntry({ ...post, placeName: post.location?.name ?? null }));
  const index = new IndexUnderTest(embedder);
  index.put(await embedded(entries, embedder));
  for (const [i, text] of NONSENSE.entries()) {
    const question = { filter: EVERYTHING, words: parseQueryText(text), vector: nonsense[i] ?? null };
    const total = await index.count({ ...question, minCosine: embedder.scale.minCosine });
    const cosines = postVectors.map((post) => cosineOf(nonsense[i] ?? new Int8Array(), post));
    console.log(`"${text}": ${total} posts, cosine at most ${Math.max(...cosines).toFixed(3)}`);
  }
  await index.close();
}

function readCollection(folder: string): Collection {
  const gains = new Map<string, Map<string, number>>();
  for (const line of readFileSync(join(folder, "qrels.tsv"), "utf8").trim().split("\n").slice(1)) {
    const [query = "", doc = "", gain = "0"] = line.split("\t");
    gains.set(query, (gains.get(query) ?? new Map<string, number>()).set(doc, Number(gain)));
  }
  return {
    docs: readRows(join(folder, "corpus.jsonl")),
    queries: readRows(join(folder, "queries.jsonl")),
    gains,
  };
}

async function main(): Promise<void> {
  const options = { model: { type: "string" }, notices: { type: "boolean" } } as const;
  const { model, notices } = parseArgs({ options }).values;
  const bothNoticeSets = async () => {
    for (const name of NOTICE_SETS)
      reportNotices(`notices, ${name} set`, await measureNotices(readNotices(name), model));
  };
  if (notices === true) return bothNoticeSets();
  const embedder = await openModel(MODEL_FILES, model ?? null);
  console.log("collection    method          minCosine  nDCG@10  Recall@100  of exact: @10      @100");
  const relevance = dataFolder("relevance");
  for (const name of readdirSync(relevance)) {
    const collection = readCollection(join(relevance, name));
    const floors = [...new Set([-1, 0.2, embedder.scale.minCosine, 0.3])].sort((a, b) => a - b);
    for (const { method, minCosine, quality, exact } of await measure(collection, embedder, floors)) {
      const floor =
        model === undefined && minCosine === embedder.scale.minCosine
          ? FLOORS[name]?.[method as "hybrid"]
          : undefined;
      const below = [
        floor !== undefined && quality.ndcg10 < floor ? `BELOW ${floor}` : "",
        exact !== null && exact.recall10 < OF_EXACT.recall10 ? `BELOW ${OF_EXACT.recall10} at 10` : "",
        exact !== null && exact.recall100 < OF_EXACT.recall100 ? `BELOW ${OF_EXACT.recall100} at 100` : "",
      ].filter((verdict) => verdict !== "");
      const numbers = [quality.ndcg10, quality.recall100, exact?.recall10, exact?.recall100];
      const cells = [minCosine, ...numbers.map((number) => number?.toFixed(4) ?? "")];
      console.log(
        name.padEnd(13),
        method.padEnd(15),
        ...cells.map((cell) => String(cell).padStart(10)),
        ...below,
      );
      if (below.length > 0) process.exitCode = 1;
    }
  }
  await reportSeparation(dataFolder("standing-queries"), embedder);
  await embedder.close();
  await bothNoticeSets();
}

if (process.argv[1] === import.meta.filename) await main();
