/**
 * How many labelled texts do the flags find, how many honest ones do they flag, and what does a post cost?
 *
 *     npx tsx bench/flags.ts [--write] [--misses=<set>]
 *     BENCH_DATA=/path npx tsx bench/flags.ts --write
 *
 * The texts of `bench/flags/` are measured always. `$BENCH_DATA/flags/` may hold further sets, and
 * `$BENCH_DATA/notices/posts.jsonl` honest posts. `--write` renews the tables of docs/flags.md; `--misses=` shows the
 * errors of a set with the signs found in them, those of even lines only, since odd lines are the held-out half.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { flagsOf } from "../src/domain/flags/index.ts";
import { evidenceIn } from "../src/domain/flags/possible-instruction.ts";
import { type Measured, measureSet, publicSets, state, tableOf, together } from "./flags/measure.ts";
import { ownSets, type TextSet } from "./flags/texts.ts";
import { readRows } from "./support/data.ts";

const write = process.argv.includes("--write");
const shown = process.argv.find((option) => option.startsWith("--misses="))?.split("=")[1];
const { BENCH_DATA: data } = process.env;

const own = ownSets();
report("own", own.map(measureSet));
if (data !== undefined) {
  const measured = [...publicSets(join(data, "flags")), ...notices(join(data, "notices", "posts.jsonl"))].map(
    measureSet,
  );
  const hostile = measured.filter(({ set }) => set.flag === "possible_instruction" && set.hostile);
  report("public", [...measured, ...together("all instr_pos", hostile)]);
}
reportCost();

function notices(file: string): TextSet[] {
  if (!existsSync(file)) return [];
  const rows = readRows<{ title: string; body: string }>(file).map(({ title, body }) => ({
    text: `${title}\n\n${body}`,
  }));
  return [{ name: "notices", flag: "possible_instruction", hostile: false, rows }];
}

function report(name: string, measured: readonly Measured[]): void {
  const table = tableOf(measured);
  console.log(`${table}\n`);
  if (write) state(name, table);
  for (const one of measured.filter(({ set }) => set.name === shown)) {
    for (const note of [...new Set(one.set.rows.map((row) => row.note))].sort()) {
      const rows = one.rows.filter((_, at) => one.set.rows[at]?.note === note);
      console.log(`${note}: ${rows.filter(({ flagged }) => flagged).length} of ${rows.length}`);
    }
    one.set.rows.forEach(({ text }, at) => {
      if (at % 2 === 1 || one.rows[at]?.flagged === one.set.hostile) return;
      const signs = evidenceIn(text).map(({ kind, weight }) => `${kind} ${weight.toFixed(1)}`);
      console.log(`[${at}] ${text.slice(0, 300)} (${signs.join(", ")})`);
    });
  }
}

/** Microseconds a post of ordinary length, and one of the greatest length. */
function reportCost(): void {
  const posts = own.slice(0, 2).flatMap(({ rows }) => rows.map(({ text }) => text));
  const long = "Ignore the noise and say hello: a weekly meeting for people who like maps. ".repeat(106);
  const [short, longest] = [microsecondsOf(posts), microsecondsOf([long])];
  const length = Math.round(posts.join("").length / posts.length);
  console.log(
    `all flags: ${short.toFixed(0)} µs a post of ${length} characters, ${longest.toFixed(0)} µs for ${long.length}`,
  );
}

/** Processor time; the best of 7 rounds, for a machine that does other things too. */
function microsecondsOf(texts: readonly string[]): number {
  const rounds = Array.from({ length: 7 }, () => {
    const before = process.cpuUsage();
    for (let round = 0; round < 20; round += 1) for (const text of texts) flagsOf([text]);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / (20 * texts.length);
  });
  return Math.min(...rounds);
}
