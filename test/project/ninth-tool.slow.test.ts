import { execFile } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { useFolder } from "../support/boards/use.ts";

const root = resolve(import.meta.dirname, "../..");
/** What the copy does without, or links to. */
const NOT_COPIED = /^(\.git|node_modules|dist|data)$|\/node_modules$/;
const VITEST = ["vitest", "run", "--config", "vitest.quick.config.ts", "--maxWorkers", "1"] as const;
/** Finds the tools of the project without npx, which takes a second to find each. */
const PATH = [join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter);

describe("a ninth tool, written as docs/adding-a-tool.md says", () => {
  const copy = useFolder();
  let written: string[];
  beforeAll(() => {
    cpSync(root, copy, { recursive: true, filter: (from) => !NOT_COPIED.test(from.slice(root.length + 1)) });
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    const guide = readFileSync(join(root, "docs/adding-a-tool.md"), "utf8");
    const blocks = [...guide.matchAll(/`((?:tools|test)\/[\w./]+\.ts)`:\n\n```ts\n([\s\S]*?)```/g)];
    expect(blocks.map(([, file]) => file)).toEqual(["tools/whats_on.ts", "test/tools/whats_on.test.ts"]);
    written = blocks.map(([, file = ""]) => file);
    for (const [, file = "", code = ""] of blocks) writeFileSync(join(copy, file), code);
  });

  /** Runs a command in the copy; gives what it said where it failed, and null where it did not. */
  const failureOf = (command: string, ...args: string[]): Promise<string | null> =>
    promisify(execFile)(command, args, { cwd: copy, env: { ...process.env, PATH }, maxBuffer: 1e9 }).then(
      () => null,
      ({ stdout, stderr }) => stdout + stderr,
    );

  it("fails a test that names the one command, before it has run", async () => {
    expect(await failureOf(...VITEST, "test/project/catalog.test.ts")).toContain("run `npm run manual`");
  });

  it("passes, after it has run", { timeout: 3_600_000 }, async () => {
    // The rest of `npm run check` reads what has not changed.
    const config = { extends: "./tsconfig.json", include: [], files: written };
    writeFileSync(join(copy, "tsconfig.written.json"), JSON.stringify(config));
    const near = ["test/tools/whats_on", "test/project/catalog", "test/reference/manual"];
    for (const [command = "", ...args] of [
      ["npm", "run", "manual"],
      ["biome", "check", ...written],
      // More checkers than one work out most types once more each.
      ["tsc", "--noEmit", "--checkers", "1", "-p", "tsconfig.written.json"],
      [...VITEST, ...near],
    ])
      expect(await failureOf(command, ...args)).toBeNull();
  });
});
