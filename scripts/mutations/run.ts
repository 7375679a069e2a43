/**
 * Do the tests notice when a defence is gone? Each mutation of `table.ts` is made in a copy of the program, where the test
 * it names must then fail.
 *
 *   npm run test:mutations [-- WORD …]   only mutations with one of the words in their row, defence, file or test
 */
import { spawn } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { MUTATIONS, type Mutation, mutated } from "./table.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** Folders of the root: neither sources nor read by tests. */
const LEFT_OUT = new Set(["node_modules", "dist", ".git", "data"].map((name) => join(ROOT, name)));

type Verdict = "noticed" | "NOT NOTICED" | "DOES NOT RUN";

async function main(words: readonly string[]): Promise<void> {
  const wanted = MUTATIONS.filter(
    (one) => words.length === 0 || words.some((word) => JSON.stringify(one).includes(word)),
  );
  const copy = await mkdtemp(join(tmpdir(), "board-mutations-"));
  try {
    await cp(ROOT, copy, { recursive: true, filter: (source) => !LEFT_OUT.has(source) });
    await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"));
    const verdicts: Verdict[] = [];
    for (const one of wanted) {
      const began = performance.now();
      const verdict = await tried(one, copy);
      verdicts.push(verdict);
      const seconds = ((performance.now() - began) / 1_000).toFixed(0);
      console.log(`${verdict.padEnd(12)} ${seconds.padStart(4)} s  ${one.row}  ${one.defence}`);
      if (verdict !== "noticed") console.log(`${" ".repeat(21)}${one.file}: ${one.test.join(" > ")}`);
    }
    const noticed = verdicts.filter((verdict) => verdict === "noticed").length;
    console.log(`${noticed} of ${verdicts.length} mutations noticed`);
    process.exitCode = noticed === verdicts.length ? 0 : 1;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function tried(one: Mutation, copy: string): Promise<Verdict> {
  const path = join(copy, one.file);
  const source = await readFile(path, "utf8");
  await writeFile(path, mutated(one, source));
  try {
    const failed = await failedTests(one.test, copy);
    if (failed === null) return "DOES NOT RUN";
    return failed.some((name) => name.includes(one.test[1])) ? "noticed" : "NOT NOTICED";
  } finally {
    await writeFile(path, source);
  }
}

/** Gives full names of the tests that failed; null when none could run. */
async function failedTests([file, title]: Mutation["test"], cwd: string): Promise<string[] | null> {
  const report = join(cwd, "mutation-report.json");
  await rm(report, { force: true });
  const pattern = title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const options = ["--project", "sqlite", "-t", pattern, "--reporter=json", `--outputFile=${report}`];
  const child = spawn(
    process.execPath,
    [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", file, ...options],
    {
      cwd,
      stdio: "ignore",
    },
  );
  await new Promise((done) => child.once("exit", done));
  const { testResults } = JSON.parse(await readFile(report, "utf8")) as {
    testResults: { assertionResults: { fullName: string; status: string }[] }[];
  };
  const ran = testResults.flatMap(({ assertionResults }) => assertionResults);
  const asked = ran.filter(({ fullName, status }) => fullName.includes(title) && status !== "skipped");
  return asked.length === 0 ? null : asked.filter(({ status }) => status === "failed").map((t) => t.fullName);
}

await main(process.argv.slice(2));
