import { readdirSync } from "node:fs";
import { join } from "node:path";
import { textForModel } from "../../src/search/model-text.ts";
import { parseQueryText, type QueryText } from "../../src/search/query-text.ts";
import { wordsOf } from "../../src/search/tokens.ts";
import { ownPairs } from "../standing-rule/pairs.ts";
import { notices, QUERIES } from "../support/corpus.ts";
import { dataFolder, readRows } from "../support/data.ts";
import { embedAll, openModel } from "../support/model.ts";

export const OWN_PAIRS = join(import.meta.dirname, "../standing-rule/own-pairs.txt");

/** Vectors of real texts, and the words of each. */
export interface Texts {
  asked: readonly QueryText[];
  queries: Float32Array[];
  posts: Float32Array[];
  postWords: string[][];
}

/**
 * Texts of `bench/support/corpus.ts` through the real model.
 * @param count  how many texts; 0: the queries and notices of `bench/standing-rule/own-pairs.txt`
 */
export async function embedTexts(count: number, modelDir?: string): Promise<Texts> {
  const embedder = await openModel(modelDir);
  try {
    const own = count === 0 ? ownPairs(OWN_PAIRS) : null;
    const rows =
      own?.posts ??
      [...collections(count), ...notices(count, 0)].slice(0, count).map((row) => ({
        title: String(row["title"]),
        body: String(row["body"]),
        tags: [],
        placeName: null,
      }));
    const asked =
      own?.queries.map(({ text }) => text) ??
      [...QUERIES, ...rows.map((row) => row.title)].map(parseQueryText);
    return {
      asked,
      queries: await embedAll(
        embedder,
        asked.map(({ plain }) => plain),
        "query",
      ),
      posts: await embedAll(embedder, rows, "post"),
      postWords: rows.map((row) => wordsOf(textForModel(row, { english: false }))),
    };
  } finally {
    await embedder.close();
  }
}

/** The first documents of each collection in `$BENCH_DATA/relevance`, equally many of each; none without it. */
function collections(count: number): Record<string, unknown>[] {
  if (process.env["BENCH_DATA"] === undefined) return [];
  const folder = dataFolder("relevance");
  const names = readdirSync(folder);
  return names.flatMap((name) =>
    readRows<{ title: string; text: string }>(join(folder, name, "corpus.jsonl"))
      .slice(0, Math.ceil(count / names.length))
      .map(({ title, text }) => ({ title, body: text.slice(0, 400) })),
  );
}
