import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Question } from "../../src/ports/search-index.ts";
import { LIMITS } from "../../src/schema/post.ts";
import { OPEN_FILTER } from "../../test/support/boards/questions.ts";
import { boardPosts, firstOf, inBatches, isVerified, PUBLISHERS, publisherIdOf } from "../board/posts.ts";
import type { Texts } from "../board/texts.ts";
import type { PostVectors } from "../board/vectors.ts";
import { ExactRanking, recallAt } from "../support/exact-ranking.ts";
import { type IndexedPost, IndexUnderTest, RANKING } from "../support/index-under-test.ts";
import { folderBytes, percentiles } from "../support/measure.ts";
import { inOwnProcess } from "./child.ts";
import type { FirstAnswer } from "./first-answer.ts";
import { currentOnly, DIMENSION, MIN_COSINE, NOW, narrow, passes, questionsOf } from "./questions.ts";
import { type Timed, timed } from "./timed.ts";

/** Of the board's own index. */
export interface OwnFigures {
  series: (Timed & { name: string })[];
  /** All posts are written, 500 in a transaction. */
  buildMs: number;
  /**
   * One post is written, in a transaction of its own and its vector in another, both synced to the disk and followed by a
   * question. `cpuMs` is what the index adds to the same transactions and questions without a post.
   */
  ingest: Omit<Timed, "found"> & { count: number };
  /** Of a process that starts after this one has closed the index. */
  first: FirstAnswer;
  /** Of the files it left. */
  diskBytes: number;
  /** Means over all queries, without rerank, of an exact ranking of everything; null when not asked for. */
  recall: { at10: number; at100: number; narrowAt10: number; narrowAt100: number } | null;
}

const BATCH = 500;
const INGESTED = 500;
const PAGE = 20;
const RELATED_ASKED = 50;
/** As reading a post shows. */
const { relatedInPost: RELATED } = LIMITS;

export interface BoardUnderTest {
  count: number;
  texts: Texts;
  vectors: PostVectors;
}

export async function measureOwn(
  { count, texts, vectors }: BoardUnderTest,
  { recall: withRecall, thread }: { recall: boolean; thread?: boolean },
): Promise<OwnFigures> {
  const index = new IndexUnderTest({ modelId: "bench", dimension: DIMENSION });
  const posts = boardPosts({ count: count + INGESTED, texts, vectors, now: NOW });
  try {
    const buildMs = build(index, posts, count);
    if (thread === true) await index.threaded();
    const series = await measureSeries(index, { count, texts, vectors });
    const recall = withRecall ? await measureRecall(index, { count, texts, vectors }) : null;
    const ingested = await ingest(index, [...posts]);
    await index.close({ keep: true });
    const diskBytes = folderBytes(index.folder);
    const [question] = questionsOf(texts.long, vectors);
    const first = await firstAnswer(index.folder, question as Question);
    return { series, buildMs, diskBytes, first, recall, ingest: ingested };
  } finally {
    rmSync(index.folder, { recursive: true });
  }
}

/** Writes the first posts of a list, and leaves the others in it. */
function build(index: IndexUnderTest, posts: Iterator<IndexedPost>, count: number): number {
  const ids = Array.from({ length: PUBLISHERS }, (_, n) => publisherIdOf(n));
  index.putPublishers(ids, isVerified);
  let ms = 0;
  for (const batch of inBatches(firstOf(posts, count), BATCH)) {
    const began = performance.now();
    index.put(batch);
    ms += performance.now() - began;
  }
  return ms;
}

/** Beside each post the same transactions are made without one, so that what the index itself costs is known. */
async function ingest(index: IndexUnderTest, posts: readonly IndexedPost[]): Promise<OwnFigures["ingest"]> {
  const times: number[] = [];
  const cpuMs = { index: 0, transactions: 0 };
  const counted = async (what: keyof typeof cpuMs, act: () => void) => {
    const before = process.cpuUsage();
    act();
    // The memory follows with the next question.
    await index.list({ ...ANYTHING, filter: OPEN_FILTER }, "newest", 1);
    const { user, system } = process.cpuUsage(before);
    cpuMs[what] += (user + system) / 1000 / posts.length;
  };
  for (const { entry, vector } of posts) {
    const began = performance.now();
    await counted("index", () => index.put([{ entry, vector: null }]));
    await counted("index", () => vector !== null && index.putVector(entry.id, vector));
    times.push(performance.now() - began);
    await counted("transactions", () => index.commitOnly());
    await counted("transactions", () => index.commitOnly());
  }
  return { times: percentiles(times), cpuMs: cpuMs.index - cpuMs.transactions, count: times.length };
}

async function measureSeries(
  index: IndexUnderTest,
  { texts, vectors }: BoardUnderTest,
): Promise<OwnFigures["series"]> {
  const { short, long } = texts;
  const ranked =
    (rerank: boolean, limit = RANKING) =>
    (question: Question) =>
      index.rank(question, { rerank, limit });
  const series: OwnFigures["series"] = [];
  const measure = async <Q>(
    name: string,
    questions: readonly Q[],
    ask: (question: Q) => Promise<readonly string[]>,
  ) => series.push({ name, ...(await timed(questions, ask)) });

  for (const [length, queries] of [
    ["short", short],
    ["long", long],
  ] as const) {
    const both = questionsOf(queries, vectors);
    const few = questionsOf(queries, vectors, { filter: narrow });
    const words = questionsOf(queries, vectors, { arms: "words" });
    const meaning = questionsOf(queries, vectors, { arms: "meaning" });
    await measure(`hybrid+rerank, ${length}`, both, ranked(true));
    await measure(`hybrid, ${length}`, both, ranked(false));
    await measure(`hybrid+rerank, top 100, ${length}`, both, ranked(true, 100));
    await measure(`narrow, ${length}`, few, ranked(true));
    await measure(`narrow, top 100, ${length}`, few, ranked(true, 100));
    await measure(`words, ${length}`, words, ranked(false));
    await measure(`words, top 100, ${length}`, words, ranked(false, 100));
    await measure(`meaning, ${length}`, meaning, ranked(false));
  }
  const filters = [
    { ...ANYTHING, filter: currentOnly() },
    ...short.map((_, at) => ({ ...ANYTHING, filter: narrow(at) })),
  ];
  for (const order of ["newest", "soonest"] as const) {
    const list = (question: Question) => index.list(question, order, PAGE);
    await measure(order, filters.slice(0, 1), list);
    await measure(`${order}, narrow`, filters.slice(1), list);
  }
  const read = [...firstOf(boardPosts({ count: RELATED_ASKED, texts, vectors, now: NOW }), RELATED_ASKED)];
  const related = ({ entry }: IndexedPost) => index.related(entry.id, currentOnly(), RELATED);
  await measure("related to a post", read, related);
  return series;
}

async function firstAnswer(folder: string, question: Question): Promise<FirstAnswer> {
  const own = mkdtempSync(join(tmpdir(), "question-"));
  const file = join(own, "question.json");
  writeFileSync(file, JSON.stringify({ ...question, vector: Array.from(question.vector ?? []) }));
  try {
    return await inOwnProcess<FirstAnswer>("first-answer.ts", folder, file);
  } finally {
    rmSync(own, { recursive: true });
  }
}

async function measureRecall(
  index: IndexUnderTest,
  { count, texts, vectors }: BoardUnderTest,
): Promise<NonNullable<OwnFigures["recall"]>> {
  const posts = [...firstOf(boardPosts({ count: count + INGESTED, texts, vectors, now: NOW }), count)];
  const exact = new ExactRanking(posts);
  const recallOf = async (questions: readonly Question[]) => {
    let [at10, at100] = [0, 0];
    for (const question of questions) {
      const found = await index.rank(question, { rerank: false, limit: 100 });
      const passed = posts.map(({ entry }) => passes(question.filter, entry));
      const wanted = exact.rank(question, (at) => passed[at] ?? false, { rerank: false });
      at10 += recallAt(10, found, wanted) / questions.length;
      at100 += recallAt(100, found, wanted) / questions.length;
    }
    return { at10, at100 };
  };
  const queries = [...texts.short, ...texts.long];
  const all = await recallOf(questionsOf(queries, vectors));
  const few = await recallOf(questionsOf(queries, vectors, { filter: narrow }));
  exact.close();
  return { ...all, narrowAt10: few.at10, narrowAt100: few.at100 };
}

const ANYTHING: Question = { filter: OPEN_FILTER, words: null, vector: null, minCosine: MIN_COSINE };
