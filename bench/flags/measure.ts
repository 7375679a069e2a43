import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { flagsOf } from "../../src/domain/flags/index.ts";
import type { PostFlag } from "../../src/schema/post.ts";
import { readRows } from "../support/data.ts";
import type { LabelledText, TextSet } from "./texts.ts";

/** What became of a set. */
export interface Measured {
  set: TextSet;
  /** Of each row whether it was flagged, and which half its line number puts it in. */
  rows: readonly { flagged: boolean; half: number }[];
}

/** Runs the flags over a set. */
export function measureSet(set: TextSet): Measured {
  const rows = set.rows.map(({ text }, at) => ({
    flagged: flagsOf([text]).includes(set.flag),
    half: at % 2,
  }));
  return { set, rows };
}

/** The share of flagged rows, in percent; of one half (0 for even lines, 1 for odd ones) where it is given. */
export function percentOf({ rows }: Measured, half?: number): number {
  const kept = rows.filter((row) => half === undefined || row.half === half);
  return (100 * kept.filter(({ flagged }) => flagged).length) / Math.max(1, kept.length);
}

const FLAG: Record<string, PostFlag> = {
  hidden: "hidden_unicode",
  blob: "encoded_blob",
  instr: "possible_instruction",
};

/** The sets of a folder of `<hidden|blob|instr>_<pos|neg>[_<name>].jsonl`. */
export function publicSets(folder: string): TextSet[] {
  return readdirSync(folder)
    .sort()
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => {
      const flag = FLAG[name.split("_")[0] ?? ""];
      if (flag === undefined) return [];
      const rows = readRows<LabelledText>(join(folder, name));
      return [{ name: name.replace(".jsonl", ""), flag, hostile: name.includes("_pos"), rows }];
    });
}

/** A Markdown table: per set its flag, size, and the shares flagged in all rows, in even and in odd ones. */
export function tableOf(measured: readonly Measured[]): string {
  const cell = (value: number) => `${value.toFixed(1)} %`;
  const rows = measured.map((one) => {
    const { name, flag, hostile, rows } = one.set;
    const halves = [0, 1].map((half) => cell(percentOf(one, half)));
    return `| ${name} | \`${flag}\` | ${hostile ? "found" : "wrongly"} | ${rows.length} | ${cell(percentOf(one))} | ${halves.join(" | ")} |`;
  });
  return ["| set | flag | | texts | all | even | odd |", "|---|---|---|--:|--:|--:|--:|", ...rows].join("\n");
}

/** All sets of one flag and label as one. */
export function together(name: string, measured: readonly Measured[]): Measured[] {
  const first = measured[0];
  if (first === undefined) return [];
  return [
    {
      set: { ...first.set, name, rows: measured.flatMap(({ set }) => set.rows) },
      rows: measured.flatMap(({ rows }) => rows),
    },
  ];
}

/** The page that states the figures. */
const PAGE = join(import.meta.dirname, "../../docs/flags.md");
const marks = (name: string) => [`<!-- ${name} -->\n`, `<!-- /${name} -->`] as const;

/** What the page states between the marks of a name. */
export function statedIn(name: string): string {
  const page = readFileSync(PAGE, "utf8");
  const [open, close] = marks(name);
  return page.slice(page.indexOf(open) + open.length, page.indexOf(close)).trim();
}

/** Writes what the page states between the marks of a name. */
export function state(name: string, text: string): void {
  const [open, close] = marks(name);
  const page = readFileSync(PAGE, "utf8");
  const [before, after] = [page.indexOf(open) + open.length, page.indexOf(close)];
  writeFileSync(PAGE, `${page.slice(0, before)}${text}\n${page.slice(after)}`);
}
