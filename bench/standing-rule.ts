/**
 * How good is the rule by which a post answers a saved query, on queries it was not fitted to? And which numbers fit best?
 * See docs/matching.md and `standing-rule/data/README.md`.
 *
 *   npx tsx bench/standing-rule.ts                 by folds over queries, and the rule as it is
 *   npx tsx bench/standing-rule.ts --model NAME    the rule as it is under another model
 *
 * Model files are looked for in MODEL_DIR, then in the cache of `agent-board models`.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { toReference } from "../src/domain/search/weak.ts";
import { denseOf, fitted, hardOf, isYes, type Numbers, type Sets, scoresOf } from "./standing-rule/fit.ts";
import { labelledPairs, ownPairs, type Query } from "./standing-rule/pairs.ts";
import { type Row, rowsOf } from "./standing-rule/rows.ts";
import { MODEL_FILES, openModel } from "./support/model.ts";

const FOLDS = 10;

const { values: options } = parseArgs({ options: { model: { type: "string" } } });
const model = await openModel(MODEL_FILES, options.model ?? null);
const map = toReference(model.scale);
const own = ownPairs(join(import.meta.dirname, "standing-rule", "own-pairs.txt"));
const sets: Sets = {
  first: await rowsOf(labelledPairs("first"), model, map),
  second: await rowsOf(labelledPairs("second"), model, map),
  third: await rowsOf(labelledPairs("third"), model, map),
  own: await rowsOf(own, model, map),
};
await model.close();

report("the rule as it is", (row) => row.deployed.close);
report("the rule as it is, wide", (row) => row.deployed.wide);
if (options.model === undefined) {
  const folds = byFolds();
  const judge = (row: Row) => folds.get(foldOf(row.query)) as Numbers;
  report("folds over queries", (row) => isYes(row, judge(row), judge(row).close));
  report("folds over queries, wide", (row) => isYes(row, judge(row), judge(row).wide));
  console.log("fitted to everything", fitted(sets));
}

/** Queries of one theme share a fold: posts were written for all of them. */
function foldOf({ theme }: Query): number {
  let sum = 0;
  for (const letter of theme) sum = (sum * 31 + letter.charCodeAt(0)) % 1_000_003;
  return sum % FOLDS;
}

function byFolds(): Map<number, Numbers> {
  return new Map(
    Array.from({ length: FOLDS }, (_, fold) => {
      const others = (rows: readonly Row[]) => rows.filter(({ query }) => foldOf(query) !== fold);
      const { first, second, third, own: ours } = sets;
      const numbers = fitted({
        first: others(first),
        second: others(second),
        third: others(third),
        own: others(ours),
      });
      console.log(
        `without fold ${fold}`,
        Object.values(numbers)
          .map((n) => n.toFixed(2))
          .join(" "),
      );
      return [fold, numbers];
    }),
  );
}

function report(what: string, rule: (row: Row) => boolean): void {
  const line = (name: string, rows: readonly Row[]) => {
    const { precision, recall, f1, f2 } = scoresOf(rows, rule);
    const numbers = [precision, recall, f1, f2].map((n) => n.toFixed(3)).join("  ");
    console.log(`${what.padEnd(26)} ${name.padEnd(14)} P R F1 F2  ${numbers}`);
  };
  line("third", sets.third);
  line("first", sets.first);
  line("first: hard", hardOf(sets.first));
  line("second: dense", denseOf(sets.second));
  line("own", sets.own);
}
