/**
 * How good is the rule by which a post answers a saved query, on queries it was not trained on? And how are its weights
 * made? See docs/matching.md.
 *
 *   BENCH_DATA=/path npx tsx bench/standing-rule.ts            ($BENCH_DATA/standing-queries{,-2}/{queries,posts,pairs}.jsonl)
 *   BENCH_DATA=/path npx tsx bench/standing-rule.ts --write    trains on everything and writes the weights
 *
 *   BENCH_DATA=/path npx tsx bench/standing-rule.ts --model NAME    the same weights under another model
 *
 * Model files are looked for in MODEL_DIR, then in the cache of `agent-board models`.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { toReference } from "../src/domain/subscriptions/matching.ts";
import { FEATURES } from "../src/search/standing-rule/features.ts";
import { floorOf, postText } from "../src/search/standing-rule/index.ts";
import type { Line } from "./standing-rule/fit.ts";
import { labelledPairs, ownPairs, type Query } from "./standing-rule/pairs.ts";
import { deployedYes, type Judged, judgedOf, type Row, standingOf } from "./standing-rule/rows.ts";
import {
  denseOf,
  gainOfBoth,
  gainOfDense,
  hardOf,
  lineOf,
  OWN_WEIGHT,
  type Part,
  RIDGE,
  type Rule,
  ruleOf,
  scoresOf,
} from "./standing-rule/training.ts";
import { dataFolder } from "./support/data.ts";
import { MODEL_FILES, openModel } from "./support/model.ts";

const FOLDS = 10;

const { values: options } = parseArgs({ options: { write: { type: "boolean" }, model: { type: "string" } } });
const model = await openModel(MODEL_FILES, options.model ?? null);
const own = await judgedOf(ownPairs(join(import.meta.dirname, "standing-rule", "own-pairs.txt")), model);
const first = await judgedOf(labelledPairs(dataFolder("standing-queries")), model);
const second = await judgedOf(labelledPairs(dataFolder("standing-queries-2")), model);
if (options.model !== undefined) {
  for (const judged of [first, second]) await reportOther(judged);
  process.exit();
}
await model.close();

const ownPart: Part = { rows: own.rows, weight: OWN_WEIGHT, gain: null };
const firstPart: Part = { rows: first.rows, weight: 1, gain: gainOfBoth };
const secondPart: Part = { rows: second.rows, weight: 1, gain: gainOfDense };
const ALL = [firstPart, secondPart, ownPart];

const firstFold = (query: Query) => first.collection.queries.indexOf(query) % FOLDS;
const themes = [...new Set(second.collection.queries.map(({ theme }) => theme))].sort();
const secondFold = ({ theme }: Query) => themes.indexOf(theme) % FOLDS;

report("cosine >= 0.32", first, (row) => row.cosine >= 0.32);
report("every word occurs", first, (row) => row.byWords);
report("folds over queries", first, crossValidated(firstPart, [secondPart, ownPart], firstFold));
report(
  "a group of queries left out",
  first,
  crossValidated(firstPart, [secondPart, ownPart], (query) => query.group),
);
report("trained on the second set", first, ruleOf(lineOf([secondPart, ownPart])));
report("cosine >= 0.55", second, (row) => row.cosine >= 0.55);
report("folds over themes", second, crossValidated(secondPart, [firstPart, ownPart], secondFold));
report("trained on the first set", second, ruleOf(lineOf([firstPart, ownPart])));
report("trained on both labelled sets", own, ruleOf(lineOf([firstPart, secondPart])));
if (options.write === true) writeWeights(lineOf(ALL));
else for (const judged of [first, second]) reportDeployed(judged);

/** A rule that judges each query by weights and a cut from the other folds and the other sets. */
function crossValidated(part: Part, others: readonly Part[], foldOf: (query: Query) => unknown): Rule {
  const folds = new Map(
    [...new Set(part.rows.map(({ query }) => foldOf(query)))].map((fold) => {
      const rows = part.rows.filter((row) => foldOf(row.query) !== fold);
      return [fold, ruleOf(lineOf([{ ...part, rows }, ...others]))] as const;
    }),
  );
  return (row) => folds.get(foldOf(row.query))?.(row) ?? false;
}

function report(what: string, { rows }: Judged, rule: Rule): void {
  const line = (of: readonly Row[]) => {
    const { f1, precision, recall } = scoresOf(of, rule);
    return `F1 ${f1.toFixed(3)} (${precision.toFixed(3)} / ${recall.toFixed(3)})`;
  };
  const name = rows === first.rows ? "first" : rows === second.rows ? "second" : "own";
  const dense = denseOf(rows);
  const last = dense.length === 0 ? "" : `  dense ${line(dense)}`;
  console.log(`${name.padEnd(7)}${what.padEnd(32)} all ${line(rows)}  hard ${line(hardOf(rows))}${last}`);
}

/** The weights of the repository, which were trained on these very pairs; and what they cost. */
function reportDeployed(judged: Judged): void {
  const { collection, rows, vectors, backgrounds } = judged;
  const started = performance.now();
  const yes = deployedYes(judged, backgrounds);
  const micros = ((performance.now() - started) * 1000) / rows.length;
  report("deployed, on its training pairs", judged, (row) => yes.has(row));
  const early = deployedYes(judged, new Map());
  report("deployed, before anything counted", judged, (row) => early.has(row));
  const floors = [...standingOf(collection, vectors, backgrounds).values()]
    .map((standing) => floorOf(standing, { kind: "offer" }))
    .sort((a, b) => a - b);
  const at = [0.1, 0.5, 0.9].map((share) => floors[Math.floor(floors.length * share)]?.toFixed(2));
  const began = performance.now();
  for (const post of collection.posts) postText(post);
  const perPost = ((performance.now() - began) * 1000) / collection.posts.length;
  console.log(
    `       floor for an offer, 10/50/90 %: ${at.join(" / ")}; ${micros.toFixed(1)} us a decision, ${perPost.toFixed(0)} us to read a post`,
  );
}

/** The deployed weights under a model they were not made for: plain cuts of its cosine, and the rule on its scale. */
async function reportOther(judged: Judged): Promise<void> {
  const { backgrounds } = judged;
  const { scale } = model;
  const { median, high } = scale.unrelated;
  for (const steps of [1.5, 2, 2.5, 3]) {
    const cut = median + steps * (high - median);
    report(`every word, or cosine >= ${cut.toFixed(2)}`, judged, (row) => row.byWords || row.cosine >= cut);
  }
  const yes = deployedYes(judged, backgrounds, toReference(scale));
  report("the rule on its scale", judged, (row) => yes.has(row));
}

function writeWeights({ weights, bias }: Line): void {
  const entries = FEATURES.map((name, i) => `  ${name}: ${Number((weights[i] ?? 0).toFixed(3))},`).join("\n");
  const file = join(import.meta.dirname, "..", "src", "search", "standing-rule", "weights.ts");
  writeFileSync(
    file,
    `import type { Features } from "./features.ts";

/**
 * Made by \`bench/standing-rule.ts --write\`: logistic regression with a ridge of ${RIDGE} over ${first.rows.length} and ${second.rows.length} labelled and
 * unlabelled pairs of the two standing-query sets and ${own.rows.length} of \`bench/standing-rule/own-pairs.txt\` (these count ${OWN_WEIGHT}),
 * for all-MiniLM-L6-v2 q8. Logits by unit of the feature; the cut is in the bias. Not to be changed by hand.
 */
export const WEIGHTS: Features = {
${entries}
};

export const BIAS = ${Number(bias.toFixed(3))};
`,
  );
  console.log(`wrote ${file}`);
}
