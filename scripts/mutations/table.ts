import { readFileSync } from "node:fs";

/** A defence taken out of the program, and the test that must then fail. */
export interface Mutation {
  /** Names the attack or fault by a letter of `ROWS`. */
  row: keyof typeof ROWS;
  /** Says what keeps it off. */
  defence: string;
  file: string;
  /** Occurs once in the file. */
  search: string;
  /** This stands there without the defence; it must still parse. */
  replace: string;
  /** Names file and title of the test. A title with values in it is cut before the first. */
  test: readonly [file: string, title: string];
}

/** A board in public must survive these. */
export const ROWS = {
  A: "Requests that a stranger's URL makes the board send",
  B: "Webhooks: consent, signatures, retries",
  C: "Keys, and whose things they open",
  D: "Limits",
  E: "Hostile input",
  F: "Third-party text on every surface",
  G: "Crashes, full and damaged disks, stops",
  H: "Erasure",
  I: "Flags and hidden posts",
  J: "Load: slow, silent and too many clients",
  K: "Hosts that sign in",
  L: "Operators from afar",
} as const;

/** Gives the lines of a text that begin with a sign, without it. */
const after = (sign: string, lines: readonly string[]) =>
  lines
    .filter((line) => line.startsWith(sign))
    .map((line) => line.slice(1))
    .join("\n");

/**
 * Reads one of `defences.txt`: its row and what it is, the test and its title, the file, and what is taken out (-) and put
 * in (+).
 */
function readMutation(text: string): Mutation {
  const [[, row = "", defence = ""] = [], [, testFile = "", title = ""] = []] = text
    .split("\n", 2)
    .map((line) => /^(.+?): (.*)$/.exec(line) ?? []);
  const [file = "", ...lines] = text.split("\n").slice(2);
  return {
    row: row as Mutation["row"],
    defence,
    file,
    search: after("-", lines),
    replace: after("+", lines),
    test: [testFile, title],
  };
}

const defences = readFileSync(new URL("defences.txt", import.meta.url), "utf8")
  .trimEnd()
  .split("\n\n");

/** Lists every mutation, by row. */
export const MUTATIONS: readonly Mutation[] = defences.map(readMutation);

/** Gives the file without the defence. */
export function mutated({ file, search, replace }: Mutation, source: string): string {
  const [before, after, ...more] = source.split(search);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(
      `${file} holds ${JSON.stringify(search)} ${more.length === 0 ? "nowhere" : "more than once"}`,
    );
  }
  return `${before}${replace}${after}`;
}

/** Writes `docs/security-tests.md`: what each attack meets, and which test fails without it. */
export function securityTests(): string {
  const rows = Object.entries(ROWS).map(([row, attack]) => {
    const lines = MUTATIONS.filter((one) => one.row === row).map(
      ({ defence, file, test: [testFile, title] }) =>
        `| ${defence} | \`${file}\` | \`${testFile}\`: ${title.replaceAll("|", "\\|")} |`,
    );
    return [
      `## ${row}. ${attack}`,
      "",
      "| Defence | In | Test that fails without it |",
      "|---|---|---|",
      ...lines,
    ].join("\n");
  });
  return `${[HEAD, ...rows].join("\n\n")}\n`;
}

const HEAD = `# Defences and their tests

<!-- Generated from scripts/mutations by \`npm run manual\`. -->

\`npm run test:mutations\` takes each of the ${MUTATIONS.length} defences below out of a copy of the program, one after another, and expects the test
beside it to fail. With words behind it (\`-- limits.ts "one voice"\`) it tries those that hold one of them. What exactly is taken out
stands in \`scripts/mutations/\`.`;
