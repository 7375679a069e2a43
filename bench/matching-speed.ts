/**
 * How long one new post takes against N saved queries, beside a look at every one of them, and what saving a query costs.
 *
 *   npx tsx bench/matching-speed.ts [saved queries = 10000 100000 1000000] [--posts 200]
 *     [--floor 0.32]    cosine from which meaning finds a query; 0: what the calibrated rule needs for it
 *     [--own]           texts: the queries and notices of `bench/standing-rule/own-pairs.txt`
 *
 * Saved queries: 45 % by 2–4 words, 40 % by meaning, the rest by filters alone; 70 % one kind, 50 % a circle of 25–200 km,
 * 30 % a tag, 20 % a window, 10 % verified publishers only, 10 % first-hand posts only. Vectors are mixtures of two real ones
 * (a million texts were not embedded) plus noise. Embedding is not measured, nor the rule that decides about candidates.
 */
import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { MODELS } from "../src/embed/models.ts";
import { openEmbedder } from "../src/embed/transformer.ts";
import { KINDS } from "../src/schema/post.ts";
import { distanceKm } from "../src/search/distance.ts";
import { VectorMemory } from "../src/search/kernel/vector-memory.ts";
import { type NewPost, Percolator, type SavedQuery } from "../src/search/percolator/index.ts";
import { DOT_TO_COSINE, quantize } from "../src/search/quantize.ts";
import { parseQueryText, type QueryText } from "../src/search/query-text.ts";
import { floorOf, standingText } from "../src/search/standing-rule/index.ts";
import { textToEmbed } from "../src/search/text-to-embed.ts";
import { wordsOf } from "../src/search/tokens.ts";
import { ownPairs } from "./standing-rule/pairs.ts";
import { notices, QUERIES, seeded } from "./support/corpus.ts";
import { machine, percentiles } from "./support/measure.ts";

const OWN_PAIRS = join(import.meta.dirname, "standing-rule/own-pairs.txt");
const NOW = Date.UTC(2026, 10, 20);
const DAY_MS = 86_400_000;
const TAGS = 400;
const CITIES = 200;
const WARM_UP_POSTS = 500;
const POST_MIX = { own: 0.7, other: 0.3, noise: 0.3 };

/** Vectors of real texts, and the words of each. */
interface Texts {
  asked: readonly QueryText[];
  queries: Float32Array[];
  posts: Float32Array[];
  postWords: string[][];
}

export interface SpeedResult {
  queries: number;
  p50Ms: number;
  p95Ms: number;
  /** Of this process, garbage collection included; a busy machine does not change it much. */
  cpuMs: number;
  linearP50Ms: number;
  matchesPerPost: number;
  /** Matches of the linear look that the percolator overlooked, and those it found that are none. */
  overlooked: number;
  wrong: number;
  checked: number;
  addP50Ms: number;
  addMaxMs: number;
  heapMb: number;
  vectorMb: number;
}

/**
 * Texts of `bench/support/corpus.ts` through the real model.
 * @param count  how many; 0: the queries and notices of `bench/standing-rule/own-pairs.txt`
 */
export async function embedTexts(count: number, modelDir: string): Promise<Texts> {
  const embedder = openEmbedder({
    mode: "required",
    model: MODELS[0],
    modelDir,
    cacheDir: modelDir,
    log: { info() {}, warn: console.warn },
  });
  try {
    await embedder.settled();
    const own = count === 0 ? ownPairs(OWN_PAIRS) : null;
    const rows =
      own?.posts ??
      [...collections(count), ...notices(count, NOW)].slice(0, count).map((row) => ({
        title: String(row["title"]),
        body: String(row["body"]),
        tags: [],
        placeName: null,
      }));
    const asked =
      own?.queries.map(({ text }) => text) ??
      [...QUERIES, ...rows.map((row) => row.title)].map(parseQueryText);
    const all = async (texts: string[], purpose: "query" | "post") => {
      const vectors: Float32Array[] = [];
      for (let i = 0; i < texts.length; i += 16) {
        vectors.push(...(await embedder.embed(texts.slice(i, i + 16), purpose)));
      }
      return vectors;
    };
    return {
      asked,
      queries: await all(
        asked.map(({ plain }) => plain),
        "query",
      ),
      posts: await all(rows.map(textToEmbed), "post"),
      postWords: rows.map((row) => wordsOf(textToEmbed(row))),
    };
  } finally {
    await embedder.close();
  }
}

/** Documents of `$BENCH_DATA/relevance`, the same number of each collection, the beginning of each; none without it. */
function collections(count: number): Record<string, unknown>[] {
  const data = process.env["BENCH_DATA"];
  if (data === undefined) return [];
  const folder = join(data, "relevance");
  const names = readdirSync(folder);
  return names.flatMap((name) =>
    readFileSync(join(folder, name, "corpus.jsonl"), "utf8")
      .split("\n")
      .slice(0, Math.ceil(count / names.length))
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { title: string; text: string })
      .map(({ title, text }) => ({ title, body: text.slice(0, 400) })),
  );
}

/** Saves `count` queries, holds posts against them in both ways, and compares. */
export function measureSpeed(
  texts: Texts,
  options: { queries: number; posts: number; floor: number },
): SpeedResult {
  const random = seeded(options.queries);
  const before = memory();
  const percolator = new Percolator<null>({ dimension: 384, kinds: KINDS, classes: 2 });
  let addMs: number[] = [];
  for (let n = 0; n < options.queries; n += 1) {
    const query = savedQuery(texts, random, options.floor);
    const began = performance.now();
    percolator.add(`sub_${n}`, query, null);
    addMs.push(performance.now() - began);
  }
  // What saving costs when there are that many already: the last tenth.
  addMs = addMs.slice(-Math.max(1, Math.floor(options.queries / 10)));
  const after = memory();
  // The same queries again, so that the peer's memory is not counted.
  const linear = new LinearScan();
  const again = seeded(options.queries);
  for (let n = 0; n < options.queries; n += 1) linear.add(savedQuery(texts, again, options.floor));

  const times: number[] = [];
  const linearTimes: number[] = [];
  let cpuUs = 0;
  const sums = { matches: 0, overlooked: 0, wrong: 0 };
  const checked = Math.min(options.posts, Math.max(5, Math.ceil(5_000_000 / options.queries)));
  const postRandom = seeded(77);
  // As on a board that has run for a minute: the engine compiles what it has seen often.
  for (let n = 0; n < WARM_UP_POSTS; n += 1) percolator.candidates(newPost(texts, postRandom));
  for (let n = 0; n < options.posts; n += 1) {
    const post = newPost(texts, postRandom);
    const cpuBegan = process.cpuUsage();
    const began = performance.now();
    const candidates = percolator.candidates(post);
    const took = performance.now() - began;
    const cpu = process.cpuUsage(cpuBegan);
    times.push(took);
    cpuUs += cpu.user + cpu.system;
    sums.matches += candidates.length;
    if (n >= checked) continue;
    const linearBegan = performance.now();
    const expected = linear.matches(post);
    linearTimes.push(performance.now() - linearBegan);
    const found = new Set(candidates.map(({ id }) => Number(id.slice(4))));
    for (const id of expected) if (!found.has(id)) sums.overlooked += 1;
    const right = new Set(expected);
    for (const id of found) if (!right.has(id)) sums.wrong += 1;
  }
  const { p50, p95 } = percentiles(times);
  return {
    queries: options.queries,
    p50Ms: p50,
    p95Ms: p95,
    cpuMs: cpuUs / 1_000 / options.posts,
    linearP50Ms: percentiles(linearTimes).p50,
    matchesPerPost: sums.matches / options.posts,
    overlooked: sums.overlooked,
    wrong: sums.wrong,
    checked,
    addP50Ms: percentiles(addMs).p50,
    addMaxMs: addMs.reduce((a, b) => Math.max(a, b), 0),
    heapMb: (after.heap - before.heap) / 1e6,
    vectorMb: percolator.vectorBytes / 1e6,
  };
}

function memory(): { heap: number } {
  (globalThis as { gc?: () => void }).gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return { heap: heapUsed + arrayBuffers };
}

const pick = <T>(list: readonly T[], random: () => number): T =>
  list[Math.floor(random() * list.length)] as T;

/** A city by number: the first ones are asked for most. */
function city(random: () => number): { lat: number; lng: number } {
  const at = seeded(9_000 + Math.floor(random() ** 2 * CITIES));
  const centre = { lat: at() * 100 - 40, lng: at() * 360 - 180 };
  return { lat: centre.lat + (random() - 0.5) * 0.3, lng: centre.lng + (random() - 0.5) * 0.3 };
}
const kindOf = (random: () => number) => KINDS[Math.floor(random() ** 1.3 * KINDS.length)] ?? KINDS[0];
const tagOf = (random: () => number) => `tag${Math.floor(random() ** 2 * TAGS)}`;

function savedQuery(texts: Texts, random: () => number, floor: number): SavedQuery {
  const way = random();
  const structural = way >= 0.85;
  const starts = NOW + Math.floor(random() * 20) * DAY_MS;
  const hasWindow = random() < 0.2;
  const words = new Set<string>();
  if (way < 0.45) {
    const said = pick(texts.postWords, random);
    const wanted = 2 + Math.floor(random() * 3);
    for (let tries = 0; words.size < wanted && tries < 40; tries += 1) {
      const word = pick(said, random);
      if (word.length > 3) words.add(word);
    }
  }
  const near = structural || random() < 0.5 ? { ...city(random), radiusKm: 25 + random() * 175 } : null;
  const kinds = structural || random() < 0.7 ? [kindOf(random)] : null;
  return {
    filter: {
      kinds,
      tags: random() < 0.3 ? [tagOf(random)] : null,
      near,
      after: hasWindow ? starts : null,
      before: hasWindow ? starts + Math.floor(random() * 30) * DAY_MS : null,
      verifiedOnly: random() < 0.1,
      includeSyndicated: random() >= 0.1,
      publisherId: null,
      parentId: null,
      includeReplies: false,
    },
    createdAt: NOW - DAY_MS,
    required: [],
    words: way < 0.45 ? [...words] : structural ? [] : null,
    meaning: way >= 0.45 && !structural ? meaningOf(texts, random, floor, kinds, near !== null) : null,
  };
}

/** The meaning of two queries mixed; the words are the first one's. */
function meaningOf(
  texts: Texts,
  random: () => number,
  floor: number,
  kinds: readonly string[] | null,
  hasPlace: boolean,
): SavedQuery["meaning"] {
  const at = Math.floor(random() * texts.queries.length);
  const vector = mixed(texts.queries[at] ?? new Float32Array(384), pick(texts.queries, random), random);
  const text = texts.asked[at] ?? parseQueryText("");
  return { vector, floors: floorsOf(floor, { text, kinds, hasPlace, vector }) };
}

/** One floor for all, or with 0 those that the calibrated rule has for this query, for English and for foreign posts. */
function floorsOf(floor: number, query: Parameters<typeof standingText>[0]): readonly number[] {
  if (floor > 0) return [floor, floor];
  const standing = standingText(query);
  const least = (foreign: boolean) =>
    Math.min(...(query.kinds ?? KINDS).map((kind) => floorOf(standing, { kind, foreign })));
  return [least(false), least(true)];
}

/** Share of posts that are foreign. */
const FOREIGN = 0.1;

function newPost(texts: Texts, random: () => number): NewPost {
  const starts = NOW + Math.floor(random() * 30) * DAY_MS;
  const at = Math.floor(random() * texts.posts.length);
  return {
    kind: kindOf(random),
    tags: [tagOf(random), tagOf(random)],
    place: random() < 0.8 ? city(random) : null,
    windowStart: starts,
    windowEnd: starts + DAY_MS,
    verified: random() < 0.3,
    publisherId: "p",
    parentId: null,
    syndicated: random() < 0.3,
    createdAt: NOW,
    words: texts.postWords[at] ?? [],
    vector: mixed(texts.posts[at] ?? new Float32Array(384), pick(texts.posts, random), random),
    postClass: Number(random() < FOREIGN),
  };
}

/** A unit vector between two, with noise of a given length. */
function mixed(a: Float32Array, b: Float32Array, random: () => number): Int8Array {
  const spread = POST_MIX.noise * Math.sqrt(12 / a.length);
  const sum = a.map((x, i) => POST_MIX.own * x + POST_MIX.other * (b[i] ?? 0) + spread * (random() - 0.5));
  const norm = Math.hypot(...sum);
  return quantize(sum.map((x) => x / norm));
}

/** The peer: columns and an exact scan of all vectors, by the same kernel, then the filters of what is near enough. */
class LinearScan {
  readonly #queries: SavedQuery[] = [];
  readonly #vectors = new VectorMemory(384);
  readonly #vectorOf: number[] = [];
  #count = 0;

  add(query: SavedQuery): void {
    // The vector is kept in the kernel's memory only.
    const meaning = query.meaning === null ? null : { ...query.meaning, vector: new Int8Array(0) };
    this.#queries.push({ ...query, meaning });
    this.#vectorOf.push(query.meaning === null ? -1 : this.#count);
    if (query.meaning !== null) this.#vectors.set(this.#count++, query.meaning.vector);
  }

  matches(post: NewPost): number[] {
    const said = new Set(post.words);
    const rows = Uint32Array.from({ length: this.#count }, (_, row) => row);
    const dots = post.vector === null ? new Int32Array(this.#count) : this.#vectors.dots(post.vector, rows);
    const found: number[] = [];
    for (let n = 0; n < this.#queries.length; n += 1) {
      const query = this.#queries[n] as SavedQuery;
      const { meaning, words } = query;
      if (
        meaning !== null &&
        (dots[this.#vectorOf[n] ?? 0] ?? 0) * DOT_TO_COSINE < (meaning.floors[post.postClass] ?? 1) - 1e-9
      )
        continue;
      if (words !== null && !words.every((word) => said.has(word))) continue;
      if (passes(query, post)) found.push(n);
    }
    return found;
  }
}

function passes({ filter, createdAt }: SavedQuery, post: NewPost): boolean {
  const { kinds, tags, near, after, before } = filter;
  return (
    post.createdAt >= createdAt &&
    (kinds === null || kinds.includes(post.kind)) &&
    (tags === null || tags.some((tag) => post.tags.includes(tag))) &&
    (after === null || post.windowEnd >= after) &&
    (before === null || post.windowStart <= before) &&
    (!filter.verifiedOnly || post.verified) &&
    (filter.includeSyndicated || !post.syndicated) &&
    (near === null ||
      (post.place !== null &&
        Math.abs(near.lat - post.place.lat) * 111.19 <= near.radiusKm &&
        distanceKm(near, post.place) <= near.radiusKm))
  );
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      floor: { type: "string", default: "0.32" },
      posts: { type: "string", default: "200" },
      own: { type: "boolean", default: false },
    },
  });
  const modelDir = process.env["MODEL_DIR"] ?? join(homedir(), ".cache", "agent-board", "models");
  const texts = await embedTexts(values.own ? 0 : 1_000, modelDir);
  console.log(`matching, floor ${values.floor}; ${machine()}`);
  for (const queries of positionals.length > 0 ? positionals.map(Number) : [10_000, 100_000, 1_000_000]) {
    report(measureSpeed(texts, { queries, posts: Number(values.posts), floor: Number(values.floor) }));
  }
}

function report(result: SpeedResult): void {
  const { queries, p50Ms, p95Ms, linearP50Ms } = result;
  console.log(
    `${queries} saved: ${p50Ms.toFixed(3)} / ${p95Ms.toFixed(3)} ms p50 / p95 a post (CPU ${result.cpuMs.toFixed(3)}), linear ${linearP50Ms.toFixed(2)} ms (${(linearP50Ms / p50Ms).toFixed(0)} x); ` +
      `${result.matchesPerPost.toFixed(1)} matches a post; of ${result.checked} posts compared ${result.overlooked} matches overlooked, ${result.wrong} wrong; ` +
      `saving one ${result.addP50Ms.toFixed(3)} ms p50, ${result.addMaxMs.toFixed(2)} max; heap ${result.heapMb.toFixed(0)} MB + vectors ${result.vectorMb.toFixed(0)} MB`,
  );
}
