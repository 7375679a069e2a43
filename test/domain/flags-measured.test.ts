import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { flagsOf } from "../../src/domain/flags/index.ts";

/** Labelled posts: hostile ones should be flagged as possible instructions, harmless ones should not. */
interface Measured {
  name: string;
  hostile: boolean;
  /** Of each post, whether it was flagged. */
  flagged: boolean[];
}

/** Posts of a file, each `{ "text" }` a line. */
function measure(folder: string, file: string): Measured {
  const lines = readFileSync(join(folder, file), "utf8").trim().split("\n");
  const texts = lines.map((line): string => JSON.parse(line).text);
  return {
    name: file.replace(".jsonl", ""),
    hostile: /hostile|_pos/.test(file),
    flagged: texts.map((text) => flagsOf([text]).includes("possible_instruction")),
  };
}

/** Percent flagged, of all rows or of the even (0) or odd (1) ones. */
function shareOf({ flagged }: Pick<Measured, "flagged">, half?: 0 | 1): number {
  const rows = flagged.filter((_, at) => half === undefined || at % 2 === half);
  return (100 * rows.filter(Boolean).length) / rows.length;
}

const rowOf = (set: Measured) =>
  `| ${set.name} | ${set.hostile ? "found" : "wrongly"} | ${set.flagged.length} | ${[shareOf(set), shareOf(set, 0), shareOf(set, 1)].map((share) => `${share.toFixed(1)} %`).join(" | ")} |`;

const OWN = join(import.meta.dirname, "../support/flags");
const own = readdirSync(OWN)
  .filter((file) => file.endsWith(".jsonl"))
  .map((file) => measure(OWN, file));
const named = (name: string) => own.find((set) => set.name === name) ?? { flagged: [] };
const page = readFileSync(join(import.meta.dirname, "../../docs/flags.md"), "utf8");

describe("possible_instruction on labelled posts", () => {
  it.each(own.map((set) => [set.name, set] as const))("is as docs/flags.md says of %s", (_name, set) => {
    expect(page).toContain(rowOf(set));
  });

  it("finds 17 of 20 hostile posts that nobody looked at, and at most 1 in 25 harmless ones", () => {
    expect(shareOf(named("hostile"), 1)).toBeGreaterThanOrEqual(85);
    expect(shareOf(named("harmless"), 1)).toBeLessThanOrEqual(4);
  });
});

const folder = join(process.env["BENCH_DATA"] ?? "", "flags");
const isThere = process.env["BENCH_DATA"] !== undefined && existsSync(folder);
describe.skipIf(!isThere)("possible_instruction on public texts (BENCH_DATA)", () => {
  const files = isThere ? readdirSync(folder).filter((file) => file.startsWith("instr_")) : [];
  it.each(files)("is as docs/flags.md says of %s", (file) => {
    expect(page).toContain(rowOf(measure(folder, file)));
  });
});
