/**
 * Which letters, and which pairs of letters, does a model read as one token? Writes what the board estimates the price of a
 * text by, `src/adapters/text/letter-pairs.ts`, from the vocabulary o200k_base.
 *
 *     npx tsx bench/token-costs/build.ts
 */
import { writeFile } from "node:fs/promises";
import o200k from "js-tiktoken/ranks/o200k_base";

/** A pair counts as `some`, `many` or `most` from so many tokens of the vocabulary that hold it. */
const GRADES = { some: 5, many: 20, most: 400 } as const;
const CHARS_PER_LINE = 100;

const LETTER = /^[\p{L}\p{M}]$/u;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The tokens that are whole characters, in lower case. */
function* tokens(): Generator<string[]> {
  for (const line of o200k.bpe_ranks.split("\n")) {
    for (const base64 of line.split(" ").slice(2)) {
      try {
        yield [...utf8.decode(Buffer.from(base64, "base64")).trim().toLowerCase()];
      } catch {
        // Half a character.
      }
    }
  }
}

const single = new Set<string>();
const pairs = new Map<string, number>();
for (const chars of tokens()) {
  if (chars.length === 1 && (chars[0] ?? "") > "\u007F") single.add(chars[0] ?? "");
  chars.forEach((char, i) => {
    const before = chars[i - 1] ?? "";
    if (LETTER.test(before) && LETTER.test(char))
      pairs.set(before + char, (pairs.get(before + char) ?? 0) + 1);
  });
}

/** `ab`, `ac`, `xb` as `abc xb`. */
function grouped(chosen: readonly string[]): string {
  const groups = new Map<string, string>();
  for (const [first = "", second = ""] of chosen.toSorted().map((pair) => [...pair]))
    groups.set(first, (groups.get(first) ?? first) + second);
  return [...groups.values()].join(" ");
}

function declared(name: string, docs: string, text: string): string {
  const chars = [...text];
  const lines = Array.from({ length: Math.ceil(chars.length / CHARS_PER_LINE) }, (_, i) =>
    JSON.stringify(chars.slice(i * CHARS_PER_LINE, (i + 1) * CHARS_PER_LINE).join("")),
  );
  return `/** ${docs} */\nexport const ${name} =\n  ${lines.join(" +\n  ")};\n`;
}

const between = (least: number, below: number) =>
  grouped([...pairs].flatMap(([pair, times]) => (times >= least && times < below ? [pair] : [])));
const { some, many, most } = GRADES;
await writeFile(
  new URL("../../src/adapters/text/letter-pairs.ts", import.meta.url),
  `// Written by bench/token-costs/build.ts from the vocabulary o200k_base. In a list of pairs, \`abc xb\` is ab, ac and xb.

${declared("SINGLE", "Characters outside ASCII that are a token of their own.", [...single].sort().join(""))}
${declared("SOME", `Pairs that ${some} to ${many - 1} tokens hold.`, between(some, many))}
${declared("MANY", `Pairs that ${many} to ${most - 1} tokens hold.`, between(many, most))}
${declared("MOST", `Pairs that ${most} tokens or more hold.`, between(most, Number.POSITIVE_INFINITY))}`,
);
