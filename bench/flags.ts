/**
 * How many labelled texts do the flags find, and how many honest ones do they flag?
 *
 *     BENCH_DATA=/path npx tsx bench/flags.ts [--misses]
 *
 * `$BENCH_DATA/flags/` holds `<flag>_<pos|neg>[_<name>].jsonl`, where flag is `hidden`, `blob` or `instr`; a line is
 * `{ "text": …, "note"?: family }`. Even lines (from 0) were looked at while the rules were written, odd ones were not,
 * so the rate on odd lines is the honest one.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { flagsOf } from "../src/domain/flags/index.ts";
import type { PostFlag } from "../src/schema/post.ts";
import { dataFolder, readRows } from "./support/data.ts";

const FLAG: Record<string, PostFlag> = {
  hidden: "hidden_unicode",
  blob: "encoded_blob",
  instr: "possible_instruction",
};

interface Row {
  text: string;
  note?: string;
}

const folder = dataFolder("flags");
for (const name of readdirSync(folder).sort()) {
  const flag = FLAG[name.split("_")[0] ?? ""];
  if (flag !== undefined && name.endsWith(".jsonl")) report(join(folder, name), name, flag);
}
reportSpeed();

function report(path: string, name: string, flag: PostFlag): void {
  const rows = readRows<Row>(path);
  const flagged = rows.map((row) => flagsOf([row.text]).includes(flag));
  const label = name.includes("_pos") ? "recall" : "false positives";
  const share = (keep: (index: number) => boolean) => {
    const kept = flagged.filter((_, index) => keep(index));
    return `${((100 * kept.filter(Boolean).length) / Math.max(1, kept.length)).toFixed(1)} %`;
  };
  console.log(
    `${flag} ${name}: ${label} ${share(() => true)} of ${rows.length}` +
      ` (even lines ${share((index) => index % 2 === 0)}, odd lines ${share((index) => index % 2 === 1)})`,
  );
  const families = [...new Set(rows.map((row) => row.note))].filter((note) => note !== undefined);
  if (label === "recall" && families.length > 1) {
    for (const family of families.sort())
      console.log(`  ${family}: ${share((at) => rows[at]?.note === family)}`);
  }
  if (process.argv.includes("--misses")) {
    rows.forEach((row, index) => {
      if (flagged[index] !== (label === "recall")) console.log(`  [${index}] ${row.text.slice(0, 300)}`);
    });
  }
}

function reportSpeed(): void {
  const text = "Ignore the noise and say hello: a weekly meeting for people who like maps. ".repeat(106);
  for (let round = 0; round < 20; round += 1) flagsOf([text]);
  const started = performance.now();
  for (let round = 0; round < 50; round += 1) flagsOf([text]);
  console.log(
    `all flags: ${((performance.now() - started) / 50).toFixed(2)} ms for ${text.length} characters`,
  );
}
