import type { Question, SearchIndex } from "../../../src/ports/search-index.ts";
import { wordAt } from "./history.ts";
import { NOW, question, vectorOf } from "./open-index.ts";

const SHORT = `${wordAt(40)} ${wordAt(700)}`;
const LONG = [3, 20, 90, 400, 1_500].map(wordAt).join(" ");
const HOUR_MS = 3_600_000;

/** Questions of every kind: words, meaning, phrases, exclusions, and filters from wide to narrow. */
export const QUESTIONS: Readonly<Record<string, Question>> = {
  all: question({}),
  everything: question({
    filter: { includeExpired: true, includeReplies: true, includeSyndicated: true },
  }),
  words: question({ q: SHORT }),
  "many words": question({ q: LONG }),
  meaning: question({ vector: vectorOf(5), minCosine: 0.1 }),
  both: question({ q: LONG, vector: vectorOf(11), minCosine: 0.2 }),
  "unknown word": question({ q: "qqqq", vector: vectorOf(11), minCosine: 0.1 }),
  phrase: question({ q: `"${wordAt(1)} ${wordAt(2)}" ${wordAt(5)}`, vector: vectorOf(3), minCosine: 0.1 }),
  exclusion: question({ q: `${LONG} -${wordAt(1)} -"${wordAt(4)} ${wordAt(2)}"`, vector: vectorOf(3) }),
  "only exclusions": question({ q: `-${wordAt(0)} -${wordAt(1)}` }),
  tag: question({ q: LONG, vector: vectorOf(2), minCosine: 0, filter: { tags: ["t7", "t8", "none"] } }),
  "wide tag": question({ q: SHORT, vector: vectorOf(2), minCosine: 0, filter: { tags: ["a"] } }),
  publisher: question({ vector: vectorOf(2), minCosine: 0, filter: { publisherId: "pub_3" } }),
  verified: question({ filter: { verifiedOnly: true, includeReplies: true } }),
  thread: question({ filter: { parentId: "p000000" } }),
  near: question({ filter: { near: { lat: 52.3, lng: 4.7, radiusKm: 25 } } }),
  "near the date line": question({
    q: LONG,
    vector: vectorOf(8),
    minCosine: 0,
    filter: { near: { lat: -17.2, lng: 179.6, radiusKm: 180 } },
  }),
  narrow: question({
    q: SHORT,
    vector: vectorOf(9),
    minCosine: 0,
    filter: {
      kinds: ["offer", "event"],
      near: { lat: 52.37, lng: 4.9, radiusKm: 50 },
      after: NOW,
      before: NOW + 72 * HOUR_MS,
    },
  }),
  "dated events": question({ filter: { kinds: ["event"], datedOnly: true, includeSyndicated: false } }),
};

/**
 * All that an index says to all questions: rankings with and without rerank and their second page, lists in both orders
 * and their second page, counts, spots and vectors.
 */
export async function allAnswers(index: Omit<SearchIndex, "ready">): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const [name, asked] of Object.entries(QUESTIONS)) {
    for (const rerank of [true, false]) {
      const first = await index.ask("rank", asked, { rerank, limit: 30, except: new Set() });
      const except = new Set(first.map(({ id }) => id));
      const second = await index.ask("rank", asked, { rerank, limit: 30, except });
      answers[`${name}: ranked ${rerank ? "again" : "once"}`] = { first, second };
    }
    for (const order of ["newest", "soonest"] as const) {
      const first = await index.ask("list", asked, { order, after: null, limit: 40 });
      const after = first.at(-1) ?? null;
      answers[`${name}: ${order}`] = {
        first,
        second: await index.ask("list", asked, { order, after, limit: 40 }),
      };
    }
    answers[`${name}: count`] = await index.ask("count", asked);
    const spots = await index.ask("spots", asked, 10_000);
    answers[`${name}: spots`] = spots.sort((a, b) => a.lat - b.lat || a.lng - b.lng);
  }
  const ids = Array.from({ length: 60 }, (_, i) => `p${String(i * 37).padStart(6, "0")}`);
  answers["vectors"] = await index.ask("vectors", ids);
  return answers;
}
