/**
 * How good is the rule by which a post answers a saved query, on queries it was not trained on? And how are its weights
 * made? See docs/matching.md.
 *
 *   BENCH_DATA=/path npx tsx bench/standing-rule.ts            ($BENCH_DATA/standing-queries/{queries,posts,pairs}.jsonl)
 *   BENCH_DATA=/path npx tsx bench/standing-rule.ts --write    trains on everything and writes the weights
 *
 * Model files are looked for in MODEL_DIR, then in the cache of `agent-board models`.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  FEATURES,
  type Features,
  featuresOf,
  judged,
  querySide,
} from "../src/search/standing-rule/features.ts";
import {
  answers,
  floorOf,
  passesWords,
  postText,
  type StandingText,
  standingText,
} from "../src/search/standing-rule/index.ts";
import { says } from "../src/search/standing-rule/terms.ts";
import { cosineOf, quantize } from "../src/search/vectors.ts";
import { dot, type Example, fitLogistic, type Line } from "./standing-rule/fit.ts";
import {
  type Collection,
  labelledPairs,
  ownPairs,
  type Pair,
  type Query,
  vectorsOf,
} from "./standing-rule/pairs.ts";
import { dataFolder } from "./support/data.ts";
import { openModel } from "./support/model.ts";

/** Weight in training of a pair of our own beside a labelled one. */
const OWN_WEIGHT = 0.5;
const RIDGE = 3;
const FOLDS = 10;
const LOWEST_COSINE = 0.2;
/** The bound on the cosine relies on them: they give the best case of every feature. */
const SIGNS: Record<(typeof FEATURES)[number], number> = {
  cosine: 1,
  sharedWords: -1,
  crowd: 0,
  placeGiven: 0,
  kindGiven: 0,
  kindAsked: 1,
  asksToo: -1,
  otherRole: -1,
  foreign: 1,
};

/** A pair with everything the rule knows about it. */
interface Row extends Pair {
  /** What the weights are made from. */
  x: number[];
  /** What a pair is judged by. */
  judgedX: number[];
  cosine: number;
  /** Every word occurs. */
  byWords: boolean;
}
type Rule = (row: Row) => boolean;

const own = ownPairs(join(import.meta.dirname, "standing-rule", "own-pairs.txt"));
const labelled = labelledPairs(dataFolder("standing-queries"));
const vectors = await readVectors([own, labelled]);
const mean = meanOf(own.posts.map(({ id }) => vectorOf(id)));
const ownRows = rowsOf(own);
const rows = rowsOf(labelled);

report("cosine >= 0.32", rows, (row) => row.cosine >= 0.32);
report("every word occurs", rows, (row) => row.byWords);
report("cosine >= 0.32 or every word", rows, (row) => row.cosine >= 0.32 || row.byWords);
report(
  "ten folds over queries",
  rows,
  crossValidated((query) => labelled.queries.indexOf(query) % FOLDS),
);
report(
  "a group of queries left out",
  rows,
  crossValidated((query) => query.group),
);
report(
  "weights of own pairs, cut of ten folds",
  rows,
  crossValidated((query) => labelled.queries.indexOf(query) % FOLDS, true),
);
report("own pairs only", rows, trained([], ownRows));
report("trained on all, own pairs (its own)", ownRows, trained(rows, ownRows));
for (const [i, name] of FEATURES.entries()) {
  if (i > 0)
    report(
      `without ${name}`,
      rows,
      crossValidated((query) => labelled.queries.indexOf(query) % FOLDS, false, i),
    );
}
if (process.argv.includes("--write")) writeWeights(lineOf(rows, ownRows));
else reportDeployed();

async function readVectors(collections: readonly Collection[]): Promise<Map<string, Int8Array>> {
  const embedder = await openModel();
  try {
    return await vectorsOf(collections, embedder);
  } finally {
    await embedder.close();
  }
}

function vectorOf(id: string): Int8Array {
  const vector = vectors.get(id);
  if (vector === undefined) throw new Error(`no vector for ${id}`);
  return vector;
}

/** The common direction of all sorts of notices. */
function meanOf(all: readonly Int8Array[]): Int8Array {
  const sum = new Float32Array(all[0]?.length ?? 0);
  for (const vector of all) for (const [i, v] of vector.entries()) sum[i] = (sum[i] ?? 0) + v;
  const norm = Math.hypot(...sum);
  return quantize(sum.map((v) => v / norm));
}

function rowsOf({ queries, posts, pairs }: Collection): Row[] {
  const sides = new Map(
    queries.map((query) => {
      const given = { ...query, vector: vectorOf(query.id) };
      return [query, { standing: standingText(given), side: querySide(given, mean) }] as const;
    }),
  );
  const texts = new Map(posts.map((post) => [post, postText(post)] as const));
  return pairs.flatMap((pair): Row[] => {
    const sidesOf = sides.get(pair.query);
    const post = texts.get(pair.post);
    if (sidesOf === undefined || post === undefined) return [];
    const { standing, side } = sidesOf;
    const passes = pair.passes && passesWords(standing, post);
    if (!passes && !pair.labelled) return [];
    const cosine = cosineOf(vectorOf(pair.query.id), vectorOf(pair.post.id));
    const features = featuresOf(side, post, cosine);
    const byWords = side.words.length > 0 && side.words.every((word) => says(post.speech, word));
    const numbers = (of: Features) => FEATURES.map((name) => of[name]);
    return [{ ...pair, passes, cosine, byWords, x: numbers(features), judgedX: numbers(judged(features)) }];
  });
}

/** A rule that judges each query by weights and a cut from the other folds. */
function crossValidated(foldOf: (query: Query) => unknown, ownWeights = false, without = -1): Rule {
  const folds = new Map(
    [...new Set(labelled.queries.map(foldOf))].map((fold) => {
      const others = rows.filter((row) => foldOf(row.query) !== fold);
      return [fold, trained(others, ownRows, ownWeights, without)] as const;
    }),
  );
  return (row) => folds.get(foldOf(row.query))?.(row) ?? false;
}

function trained(theirs: readonly Row[], ours: readonly Row[], ownWeights = false, without = -1): Rule {
  const line = lineOf(theirs, ours, ownWeights, without);
  return (row) =>
    row.byWords || (row.cosine >= LOWEST_COSINE && dot(line.weights, row.judgedX) + line.bias >= 0);
}

/** Weights, and a bias that includes the cut: the cut is at 0. */
function lineOf(theirs: readonly Row[], ours: readonly Row[], ownWeights = false, without = -1): Line {
  const examples = (from: readonly Row[], weight: number) =>
    from
      .filter((row) => row.passes)
      .map(({ x, match }): Example => ({ x: x.map((v, i) => (i === without ? 0 : v)), match, weight }));
  const ourWeight = theirs.length === 0 || ownWeights ? 1 : OWN_WEIGHT;
  const all = [...(ownWeights ? [] : examples(theirs, 1)), ...examples(ours, ourWeight)];
  const line = fitLogistic(
    all,
    FEATURES.map((name) => SIGNS[name]),
    RIDGE,
  );
  if (without >= 0) line.weights[without] = 0;
  return { ...line, bias: line.bias - cutOf(line, theirs.length === 0 ? ours : theirs) };
}

/** Where the sum of both F1 is best, smoothed over seven steps of 0.05 so that no single pair decides. */
function cutOf({ weights, bias }: Line, training: readonly Row[]): number {
  const cuts = Array.from({ length: 100 }, (_, i) => -3.5 + i * 0.05);
  const logits = new Map(training.map((row) => [row, dot(weights, row.judgedX) + bias]));
  const hard = training.filter((row) => row.labelled && row.hard);
  const gains = cuts.map((cut) => {
    const rule: Rule = (row) => row.byWords || (row.cosine >= LOWEST_COSINE && (logits.get(row) ?? 0) >= cut);
    return scoresOf(training, rule).f1 + scoresOf(hard, rule).f1;
  });
  const smooth = gains.map((_, i) => {
    const near = gains.slice(Math.max(0, i - 3), i + 4);
    return near.reduce((sum, gain) => sum + gain, 0) / near.length;
  });
  return cuts[smooth.indexOf(Math.max(...smooth))] ?? 0;
}

function scoresOf(judged: readonly Row[], rule: Rule) {
  const found = judged.filter((row) => row.passes && rule(row));
  const right = found.filter((row) => row.match).length;
  const wanted = judged.filter((row) => row.match).length;
  const precision = right / Math.max(1, found.length);
  const recall = right / Math.max(1, wanted);
  return { precision, recall, f1: (2 * right) / Math.max(1, found.length + wanted) };
}

function report(what: string, judged: readonly Row[], rule: Rule): void {
  const line = (of: readonly Row[]) => {
    const { f1, precision, recall } = scoresOf(of, rule);
    return `F1 ${f1.toFixed(3)} (${precision.toFixed(3)} / ${recall.toFixed(3)})`;
  };
  const hard = judged.filter((row) => row.labelled && row.hard);
  const known = judged.filter((row) => row.labelled);
  console.log(`${what.padEnd(40)} all ${line(judged)}  labelled ${line(known)}  hard ${line(hard)}`);
}

/** The weights of the repository, which were trained on these very pairs; and what they cost. */
function reportDeployed(): void {
  const standing = new Map(
    labelled.queries.map((query) => [query, standingText({ ...query, vector: vectorOf(query.id) })] as const),
  );
  const texts = new Map(labelled.posts.map((post) => [post, postText(post)] as const));
  const started = performance.now();
  const yes = new Set(
    rows.filter((row) => {
      const [query, post] = [standing.get(row.query), texts.get(row.post)];
      return query !== undefined && post !== undefined && answers(query, post, row.cosine);
    }),
  );
  const micros = ((performance.now() - started) * 1000) / rows.length;
  report("deployed, on its training pairs", rows, (row) => yes.has(row));
  reportFloors([...standing.values()]);
  const began = performance.now();
  for (const post of labelled.posts) postText(post);
  const perPost = ((performance.now() - began) * 1000) / labelled.posts.length;
  console.log(`${micros.toFixed(1)} us a decision, ${perPost.toFixed(0)} us to read a post`);
}

/** The cosine below which a post need not be looked at, from what is known before any word is compared. */
function reportFloors(standing: readonly StandingText[]): void {
  const kinds = ["offer", "request", "event", "announcement", "thread"];
  for (const [what, foreign] of [
    ["English", false],
    ["foreign", true],
  ] as const) {
    for (const place of [false, true]) {
      const floors = standing
        .filter((query) => query.placeGiven === place)
        .flatMap((query) => kinds.map((kind) => floorOf(query, { kind, foreign })))
        .sort((a, b) => a - b);
      const at = [0.1, 0.5, 0.9].map((share) => floors[Math.floor(floors.length * share)]?.toFixed(2));
      console.log(
        `floor, ${what} post, query ${place ? "with" : "without"} place: 10/50/90 % ${at.join(" / ")}`,
      );
    }
  }
}

function writeWeights({ weights, bias }: Line): void {
  const entries = FEATURES.map((name, i) => `  ${name}: ${Number((weights[i] ?? 0).toFixed(3))},`).join("\n");
  const file = join(import.meta.dirname, "..", "src", "search", "standing-rule", "weights.ts");
  const base64 = Buffer.from(mean.buffer, mean.byteOffset, mean.length).toString("base64");
  const lines = (base64.match(/.{1,100}/g) ?? []).map((part) => `    "${part}"`).join(" +\n");
  writeFileSync(
    file,
    `import type { Features } from "./features.ts";

/**
 * Made by \`bench/standing-rule.ts --write\`: logistic regression with a ridge of ${RIDGE} over ${rows.length} labelled and unlabelled pairs of
 * the standing-query set and ${ownRows.length} of \`bench/standing-rule/own-pairs.txt\` (these count ${OWN_WEIGHT}), for all-MiniLM-L6-v2 q8.
 * Logits by unit of the feature; the cut is in the bias. Not to be changed by hand.
 */
export const WEIGHTS: Features = {
${entries}
};

export const BIAS = ${Number(bias.toFixed(3))};

/** Direction of the mean vector of the ${own.posts.length} notices of our own pairs, as \`quantize\` gives it. */
export const MEAN_NOTICE: Int8Array = new Int8Array(
  Buffer.from(
${lines},
    "base64",
  ),
);
`,
  );
  console.log(`wrote ${file}`);
}
